// Small charts in SVG, drawn again for each width: names to the left, one row per rank or schedule.

import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";

import { drawnInto, el, svg } from "./dom.js";
import { short } from "./words.js";

const PART_GAP = 0.5;

function margins(width, labels) {
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return { left: Math.min(Math.max(34, 8 + longest * 6.6), width * 0.32), right: 22, top: 24 };
}

function shortened(text, room) {
  const most = Math.max(3, Math.floor(room / 6.4));
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
