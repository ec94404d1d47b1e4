// Small charts in SVG, drawn again for each width. Each rank or schedule is a row, with its name on the left, or above
// it if names would take too much of the width.

import { axisBottom, axisLeft, axisTop } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { select } from "d3-selection";

import { drawnInto, el, svg } from "./dom.js";
import { fillOf, seriesColour, seriesDash, seriesShape, seriesSwatch, swatch } from "./looks.js";
import { short } from "./words.js";

const PART_GAP = 0.5;

// `above`: the height of a name above its row, or 0.
function margins(width, labels) {
  const left = Math.max(34, 14 + Math.max(0, ...labels.map((label) => label.length)) * 7.2);
  return left <= width * 0.42 ? { left, right: 22, top: 24, above: 0 } : { left: 8, right: 22, top: 24, above: 16 };
}

function shortened(text, room) {
  const most = Math.max(3, Math.floor(room / 7.2));
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

function frame(width, height, margin, scale, format) {
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "presentation" });
  const axis = svg("g", { class: "scale", transform: `translate(0,${margin.top - 4})` });
  select(axis).call(axisTop(scale).ticks(Math.max(2, Math.floor(width / 140))).tickSizeOuter(0)
    .tickSizeInner(-(height - margin.top)).tickFormat(short(format)));
  drawing.append(axis);
  return drawing;
}

// The name of a row whose middle is at y.
function named(text, margin, y, row, width) {
  const [place, room] = margin.above ? [{ class: "name above", x: margin.left, y: y - row / 2 - margin.above / 2 }, width - margin.left]
    : [{ class: "name", x: margin.left - 8, y }, margin.left - 10];
  return svg("text", { ...place, dy: "0.32em" }, shortened(text, room), svg("title", {}, text));
}

// entries: [text, look], or [text, null, mark] for a mark, which is drawn in ink.
export function legendOf(entries) {
  return el("ul", { class: "legend" }, entries.map(([text, look, mark]) => el("li", {}, look ? swatch(look) : el("i", { class: mark }), text)));
}

// rows: [{ name, label (shorter), parts: [{ value, look, words }], mark }], marks: [{ at, words }] across all rows.
export function bars(rows, { format, most, marks = [], thick = 14, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  drawnInto(holder, (width) => {
    const row = rows.length > 40 ? Math.max(5, thick / 2) : thick;
    const margin = margins(width, rows.map((each) => each.label ?? each.name));
    const pitch = row + 3 + margin.above, height = margin.top + rows.length * pitch + 4;
    const scale = scaleLinear().domain([0, most]).range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    const every = Math.max(1, Math.ceil(11 / pitch));
    rows.forEach((each, i) => {
      const y = margin.top + i * pitch + margin.above;
      if (i % every === 0) drawing.append(named(each.label ?? each.name, margin, y + row / 2, row, width));
      let at = 0;
      for (const part of each.parts) {
        const from = scale(at), to = scale(at + part.value);
        at += part.value;
        if (to - from < 0.05) continue;
        drawing.append(svg("rect", { x: from, y, width: Math.max(0.1, to - from - PART_GAP), height: row, fill: fillOf(part.look) },
                           svg("title", {}, `${each.name}: ${part.words} ${format(part.value)}`)));
      }
      if (each.mark !== undefined)
        drawing.append(svg("path", { class: "mark", d: `M${scale(each.mark)},${y - 2}v${row + 4}` },
                           svg("title", {}, `${each.name}: ${each.markWords} ${format(each.mark)}`)));
    });
    for (const mark of marks)
      drawing.append(svg("path", { class: "limit", d: `M${scale(mark.at)},${margin.top - 4}V${height}` }, svg("title", {}, mark.words)));
    holder.replaceChildren(drawing);
  });
  return holder;
}

// rows: [{ name, values, mean, p5, p95 }]: a dot for each draw, a bar from the 5th to the 95th percentile, a line at the mean.
export function spreads(rows, { format, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const all = rows.flatMap((each) => each.values);
  const least = Math.min(...all), most = Math.max(...all), air = (most - least || most || 1) * 0.06;
  drawnInto(holder, (width) => {
    const row = 34, margin = margins(width, rows.map((each) => each.name));
    const pitch = row + margin.above, height = margin.top + rows.length * pitch + 4;
    const scale = scaleLinear().domain([least - air, most + air]).range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    rows.forEach((each, i) => {
      const y = margin.top + (i + 1) * pitch - row / 2;
      drawing.append(named(each.name, margin, y, row, width),
                     svg("rect", { class: "range", x: scale(each.p5), y: y - 9, width: Math.max(1, scale(each.p95) - scale(each.p5)), height: 18 },
                         svg("title", {}, `5th to 95th percentile: ${format(each.p5)} to ${format(each.p95)}`)));
      each.values.forEach((value, draw) =>
        drawing.append(svg("circle", { class: "draw", cx: scale(value), cy: y + ((draw * 7) % 5 - 2) * 3, r: 2.6 },
                           svg("title", {}, `draw ${draw + 1}: ${format(value)}`))));
      drawing.append(svg("path", { class: "mark", d: `M${scale(each.mean)},${y - 12}v24` }, svg("title", {}, `mean ${format(each.mean)}`)));
    });
    holder.replaceChildren(drawing);
  });
  return holder;
}

// rows: [{ name, value, look, range }]: a dot for each value, a line to it from zero, and a bar over its range, if any.
export function dots(rows, { format, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const values = rows.flatMap((each) => [each.value, ...(each.range ?? [])]), most = Math.max(...values.map(Math.abs)) || 1;
  drawnInto(holder, (width) => {
    const row = rows.length > 40 ? 11 : 18, margin = margins(width, rows.map((each) => each.name));
    const pitch = row + margin.above, height = margin.top + rows.length * pitch + 4;
    const scale = scaleLinear().domain([Math.min(0, ...values) - most * 0.05, Math.max(0, ...values) + most * 0.05])
      .range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    drawing.append(svg("path", { class: "zero", d: `M${scale(0)},${margin.top - 4}V${height}` }));
    rows.forEach((each, i) => {
      const y = margin.top + (i + 1) * pitch - row / 2;
      if (pitch > 11 || i % 2 === 0) drawing.append(named(each.name, margin, y, row, width));
      if (each.range)
        drawing.append(svg("rect", { class: "range", x: scale(each.range[0]), y: y - 5, width: scale(each.range[1]) - scale(each.range[0]), height: 10 },
                           svg("title", {}, `${each.name}: ${each.range.map(format).join(" to ")}`)));
      drawing.append(svg("path", { class: "reach", d: `M${scale(0)},${y}H${scale(each.value)}` }),
                     svg("circle", { cx: scale(each.value), cy: y, r: row > 11 ? 4.5 : 3, fill: fillOf(each.look) },
                         svg("title", {}, `${each.name}: ${format(each.value)}`)));
    });
    holder.replaceChildren(drawing);
  });
  return holder;
}

// A drawing with an axis below and one on the left, and their titles.
function plane(width, height, margin, { across, up, x, y, below = (axis) => axis, beside = (axis) => axis }) {
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  const scales = [svg("g", { class: "scale", transform: `translate(0,${bottom})` }), svg("g", { class: "scale", transform: `translate(${margin.left},0)` })];
  select(scales[0]).call(below(axisBottom(across).ticks(Math.max(2, Math.floor(width / 120)))
    .tickSizeInner(-(bottom - margin.top)).tickPadding(6)));
  select(scales[1]).call(beside(axisLeft(up).ticks(6).tickSizeInner(-(right - margin.left)).tickPadding(6)));
  return svg("svg", { class: "plane", width, height, viewBox: `0 0 ${width} ${height}`, role: "presentation" }, scales,
             svg("text", { class: "title", x: (margin.left + right) / 2, y: height - 6 }, x),
             svg("text", { class: "title", x: -(margin.top + bottom) / 2, y: 12, transform: "rotate(-90)" }, y));
}

const joined = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x},${y}`).join("");

function point(series, [x, y], words, hollow = false) {
  const colour = `var(--${seriesColour(series)})`;
  return svg("path", { class: "point", transform: `translate(${x},${y})`, d: seriesShape(series), fill: hollow ? "var(--ground)" : colour,
                       stroke: colour, "stroke-width": hollow ? 1.5 : 0, "data-hollow": hollow }, svg("title", {}, words));
}

// `level` names a line that is no series.
export function seriesLegend(names, level) {
  return el("ul", { class: "legend" }, names.map((name, i) => el("li", {}, seriesSwatch(i), name)),
            level && el("li", {}, el("i", { class: "path dashed" }), level));
}

// groups: [{ name, points: [[x, y]] }], best: [{ at, text }]. A line joins the best points, which are numbered.
export function scatter({ groups, best, x, y, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const all = groups.flatMap((group) => group.points);
  const reach = (axis) => {
    const values = all.map((each) => each[axis]), least = Math.min(...values), most = Math.max(...values);
    const air = (most - least || most || 1) * 0.05;
    return [Math.max(0, least - air), most + air];
  };
  drawnInto(holder, (width) => {
    const height = Math.min(460, Math.max(300, width * 0.5)), margin = { left: 86, right: 16, top: 12, bottom: 44 };
    const across = scaleLinear().domain(reach(0)).range([margin.left, width - margin.right]);
    const up = scaleLinear().domain(reach(1)).range([height - margin.bottom, margin.top]);
    const at = ([first, second]) => [across(first), up(second)];
    const drawing = plane(width, height, margin, { across, up, x, y, beside: (axis) => axis.tickFormat((value) => value.toLocaleString("en-US")) });
    groups.forEach((group, i) => drawing.append(...group.points.map((each) =>
      point(i, at(each), `${group.name}: ${each[0].toPrecision(4)}, ${each[1].toPrecision(4)}`))));
    drawing.append(svg("path", { class: "front", d: joined(best.map((each) => at(each.at))) }));
    best.forEach(({ at: place, text }, i) => drawing.append(
      svg("circle", { class: "best", cx: at(place)[0], cy: at(place)[1], r: 7.5 }, svg("title", {}, text)),
      svg("text", { class: "number", x: at(place)[0] + 11, y: at(place)[1] - 8 }, String(i + 1))));
    holder.replaceChildren(drawing);
  });
  return holder;
}

// The scale of { values: [{ value, text }], numeric, logarithmic }: numbers by value, words side by side.
function scaleOf(axis, range) {
  const numbers = axis.values.map(({ value }, i) => (axis.numeric ? value : i));
  const [first, last] = [numbers[0], numbers.at(-1)];
  const air = last > first ? (last - first) * 0.04 : Math.abs(first) / 2 || 1;
  if (!axis.numeric) return scaleLinear().domain([-0.5, numbers.length - 0.5]).range(range);
  return axis.logarithmic ? scaleLog().domain([first / (last / first) ** 0.04, last * (last / first) ** 0.04]).range(range)
    : scaleLinear().domain([first - air, last + air]).range(range);
}

// Does not go below 0 if no value does, as in `sweep plot`.
function reachOf(series, level) {
  const points = series.flatMap((one) => one.points), values = [...points.map(({ value, half }) => value - half), ...(level ? [level.at] : [])];
  const low = Math.min(...values), high = Math.max(...points.map(({ value, half }) => value + half), ...(level ? [level.at] : []));
  const air = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 ? Math.max(0, low - air) : low - air, high + air];
}

function interval(series, x, [from, to]) {
  return svg("path", { class: "interval", stroke: `var(--${seriesColour(series)})`, d: `M${x - 3},${from}h6M${x - 3},${to}h6M${x},${from}V${to}` });
}

// series: [{ name, points: [{ at (index of the axis), value, half (of an interval), fits }] }]; level: { at, name }, a value that
// is the same everywhere. Nothing lies between two words, so no line joins them.
export function lines({ series, axis, y, level, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  drawnInto(holder, (width) => {
    const height = Math.min(440, Math.max(280, width * 0.45)), margin = { left: 66, right: 20, top: 14, bottom: 46 };
    const across = scaleOf(axis, [margin.left, width - margin.right]);
    const up = scaleLinear().domain(reachOf(series, level)).range([height - margin.bottom, margin.top]);
    const places = axis.values.map(({ value }, i) => (axis.numeric ? value : i)), every = Math.ceil(places.length / Math.max(2, Math.floor(width / 110)));
    const below = (drawn) => drawn.tickValues(places.filter((_, i) => i % every === 0))
      .tickFormat((place) => shortened(axis.values[places.indexOf(place)].text, 100));
    const drawing = plane(width, height, margin, { across, up, x: axis.label, y, below });
    if (level) drawing.append(svg("path", { class: "level", d: `M${margin.left},${up(level.at)}H${width - margin.right}` }, svg("title", {}, level.name)));
    series.forEach((one, i) => {
      const points = [...one.points].sort((a, b) => a.at - b.at).map((each) => ({ ...each, place: [across(places[each.at]), up(each.value)] }));
      if (axis.numeric) drawing.append(svg("path", { class: "line", stroke: `var(--${seriesColour(i)})`, "stroke-dasharray": seriesDash(i), d: joined(points.map(({ place }) => place)) }));
      for (const { at, value, half, fits, place } of points)
        drawing.append(...(half > 0 ? [interval(i, place[0], [up(value - half), up(value + half)])] : []),
                       point(i, place, `${one.name}, ${axis.values[at].text}: ${value.toPrecision(5)}${fits ? "" : ", would not fit"}`, !fits));
    });
    holder.replaceChildren(drawing);
  });
  return holder;
}
