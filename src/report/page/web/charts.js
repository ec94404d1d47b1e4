// Small charts in SVG, drawn again for each width. Each rank or schedule is a row, with its name on the left.

import { axisBottom, axisLeft, axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";

import { drawnInto, el, svg } from "./dom.js";
import { short } from "./words.js";

const PART_GAP = 0.5;

function margins(width, labels) {
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return { left: Math.min(Math.max(34, 14 + longest * 6.9), width * 0.36), right: 22, top: 24 };
}

function shortened(text, room) {
  const most = Math.max(3, Math.floor(room / 6.5));
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

function named(text, margin, y) {
  return svg("text", { class: "name", x: margin.left - 8, y, dy: "0.32em" }, shortened(text, margin.left - 10),
             svg("title", {}, text));
}

export function legendOf(entries) {
  return el("ul", { class: "legend" },
            entries.map(([text, colour, mark]) => el("li", {}, el("i", { class: mark ?? "", style: `background: var(--${colour})` }), text)));
}

// rows: [{ name, label (shorter), parts: [{ value, colour, words }], mark }], marks: [{ at, colour, words }] across all rows.
export function bars(rows, { format, most, marks = [], thick = 14, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  drawnInto(holder, (width) => {
    const row = rows.length > 40 ? Math.max(5, thick / 2) : thick;
    const margin = margins(width, rows.map((each) => each.label ?? each.name));
    const height = margin.top + rows.length * (row + 3) + 4;
    const scale = scaleLinear().domain([0, most]).range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    const every = Math.max(1, Math.ceil(11 / (row + 3)));
    rows.forEach((each, i) => {
      const y = margin.top + i * (row + 3);
      if (i % every === 0) drawing.append(named(each.label ?? each.name, margin, y + row / 2));
      let at = 0;
      for (const part of each.parts) {
        const from = scale(at), to = scale(at + part.value);
        at += part.value;
        if (to - from < 0.05) continue;
        drawing.append(svg("rect", { x: from, y, width: Math.max(0.1, to - from - PART_GAP), height: row, fill: `var(--${part.colour})` },
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
    const height = margin.top + rows.length * row + 4;
    const scale = scaleLinear().domain([least - air, most + air]).range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    rows.forEach((each, i) => {
      const y = margin.top + (i + 0.5) * row;
      drawing.append(named(each.name, margin, y),
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

// rows: [{ name, value, colour }]: a dot for each value, and a line to it from zero.
export function dots(rows, { format, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const values = rows.map((each) => each.value), most = Math.max(...values.map(Math.abs)) || 1;
  drawnInto(holder, (width) => {
    const row = rows.length > 40 ? 11 : 18, margin = margins(width, rows.map((each) => each.name));
    const height = margin.top + rows.length * row + 4;
    const scale = scaleLinear().domain([Math.min(0, ...values) - most * 0.05, Math.max(0, ...values) + most * 0.05])
      .range([margin.left, width - margin.right]);
    const drawing = frame(width, height, margin, scale, format);
    drawing.append(svg("path", { class: "zero", d: `M${scale(0)},${margin.top - 4}V${height}` }));
    rows.forEach((each, i) => {
      const y = margin.top + (i + 0.5) * row;
      if (row > 11 || i % 2 === 0) drawing.append(named(each.name, margin, y));
      drawing.append(svg("path", { class: "reach", d: `M${scale(0)},${y}H${scale(each.value)}` }),
                     svg("circle", { cx: scale(each.value), cy: y, r: row > 11 ? 4.5 : 3, fill: `var(--${each.colour})` },
                         svg("title", {}, `${each.name}: ${format(each.value)}`)));
    });
    holder.replaceChildren(drawing);
  });
  return holder;
}

// groups: [{ name, colour, points: [[x, y]] }], best: [{ at, text }]. A line joins the best points, which are numbered.
export function scatter({ groups, best, x, y, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const all = groups.flatMap((group) => group.points);
  const reach = (axis) => {
    const values = all.map((point) => point[axis]), least = Math.min(...values), most = Math.max(...values);
    const air = (most - least || most || 1) * 0.05;
    return [Math.max(0, least - air), most + air];
  };
  drawnInto(holder, (width) => {
    const height = Math.min(460, Math.max(300, width * 0.5)), margin = { left: 62, right: 16, top: 12, bottom: 44 };
    const across = scaleLinear().domain(reach(0)).range([margin.left, width - margin.right]);
    const up = scaleLinear().domain(reach(1)).range([height - margin.bottom, margin.top]);
    const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "presentation" });
    const below = svg("g", { class: "scale", transform: `translate(0,${height - margin.bottom})` }), left = svg("g", { class: "scale", transform: `translate(${margin.left},0)` });
    select(below).call(axisBottom(across).ticks(Math.max(2, Math.floor(width / 120))).tickSizeInner(-(height - margin.top - margin.bottom)).tickPadding(6));
    select(left).call(axisLeft(up).ticks(6).tickSizeInner(-(width - margin.left - margin.right)).tickPadding(6).tickFormat((value) => value.toLocaleString("en-US")));
    drawing.append(below, left,
      svg("text", { class: "title", x: (margin.left + width - margin.right) / 2, y: height - 6 }, x),
      svg("text", { class: "title", x: -(height - margin.bottom) / 2, y: 12, transform: "rotate(-90)" }, y),
      svg("path", { class: "front", d: best.map(({ at }, i) => `${i ? "L" : "M"}${across(at[0])},${up(at[1])}`).join("") }));
    for (const group of groups)
      for (const point of group.points)
        drawing.append(svg("circle", { class: "point", cx: across(point[0]), cy: up(point[1]), r: 3.5, fill: `var(--${group.colour})` },
                           svg("title", {}, `${group.name}: ${point[0].toPrecision(4)}, ${point[1].toPrecision(4)}`)));
    best.forEach(({ at, text }, i) => drawing.append(
      svg("circle", { class: "best", cx: across(at[0]), cy: up(at[1]), r: 6 }, svg("title", {}, text)),
      svg("text", { class: "number", x: across(at[0]) + 9, y: up(at[1]) - 7 }, String(i + 1))));
    holder.replaceChildren(drawing);
  });
  return holder;
}

// series: [{ name, colour, points: [[place, value, fits]] }] over `places`. The axis is numeric if all places are numbers.
export function lines({ series, places, x, y, label }) {
  const holder = el("div", { class: "chart", role: "img", "aria-label": label });
  const numbers = places.map(Number), numeric = numbers.every(Number.isFinite);
  const at = (place) => (numeric ? Number(place) : places.indexOf(place));
  const values = series.flatMap((one) => one.points.map(([, value]) => value));
  drawnInto(holder, (width) => {
    const height = Math.min(440, Math.max(280, width * 0.45)), margin = { left: 66, right: 20, top: 14, bottom: 46 };
    const domain = numeric ? [Math.min(...numbers), Math.max(...numbers)] : [-0.5, places.length - 0.5];
    const across = scaleLinear().domain(domain).range([margin.left, width - margin.right]);
    const low = Math.min(...values), high = Math.max(...values), air = (high - low || Math.abs(high) || 1) * 0.06;
    const up = scaleLinear().domain([low - air, high + air]).range([height - margin.bottom, margin.top]);
    const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "presentation" });
    const below = svg("g", { class: "scale", transform: `translate(0,${height - margin.bottom})` }), left = svg("g", { class: "scale", transform: `translate(${margin.left},0)` });
    const bottom = axisBottom(across).tickSizeInner(-(height - margin.top - margin.bottom)).tickPadding(6);
    const room = Math.max(2, Math.floor(width / 110));
    select(below).call(numeric ? bottom.ticks(room) : bottom.tickValues(places.map((_, i) => i).filter((i) => i % Math.ceil(places.length / room) === 0)).tickFormat((i) => shortened(places[i], 100)));
    select(left).call(axisLeft(up).ticks(6).tickSizeInner(-(width - margin.left - margin.right)).tickPadding(6));
    drawing.append(below, left, svg("text", { class: "title", x: (margin.left + width - margin.right) / 2, y: height - 6 }, x),
                   svg("text", { class: "title", x: -(height - margin.bottom) / 2, y: 12, transform: "rotate(-90)" }, y));
    for (const one of series) {
      const points = [...one.points].sort((a, b) => at(a[0]) - at(b[0]));
      drawing.append(svg("path", { class: "line", stroke: `var(--${one.colour})`, d: points.map(([place, value], i) => `${i ? "L" : "M"}${across(at(place))},${up(value)}`).join("") }));
      for (const [place, value, fits] of points)
        drawing.append(svg("circle", { cx: across(at(place)), cy: up(value), r: 4, stroke: `var(--${one.colour})`, "stroke-width": 1.5,
                                       fill: fits === false ? "var(--ground)" : `var(--${one.colour})` },
                           svg("title", {}, `${one.name}, ${place}: ${value.toPrecision(5)}`)));
    }
    holder.replaceChildren(drawing);
  });
  return holder;
}
