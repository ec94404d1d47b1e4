// Sums over an area of a timeline: the time of each rank by activity, and its idle time by cause.

import { CAUSES } from "./causes.js";
import { LAST_TICK } from "./columns.js";
import { el } from "./dom.js";
import { secondsAt } from "./event_words.js";
import { swatch } from "./looks.js";
import { table } from "./parts.js";
import { counted, duration, percent } from "./words.js";

const NETWORK = ["transfer", "reduce", "broadcast", "bookkeeping"];

const overlap = (from, to, area) => Math.max(0, Math.min(to, area.to) - Math.max(from, area.from));

// Returns { activity: ticks by activity, idle: ticks by cause } of one row. What begins a row's idle time is the end of
// the last computing event; `wait` says why the next one did not begin at once.
function sumsOfRow(data, track, row, area) {
  const { first, start, end, activity, wait } = track.columns;
  const sums = { activity: data.activities.map(() => 0), idle: data.causes.map(() => 0) };
  const idle = (cause, from, to) => { sums.idle[cause] += overlap(from, to, area); };
  const cause = (name) => data.causes.indexOf(name);
  let free = (track.drawn.bubble_s?.plan[row] ?? 0) / data.span_s * LAST_TICK;
  idle(cause("plan"), 0, free);
  for (let i = first[row]; i < first[row + 1]; ++i) {
    sums.activity[activity[i]] += overlap(start[i], end[i], area);
    if (NETWORK.includes(data.activities[activity[i]])) continue;
    if (start[i] > free) idle(wait ? Math.max(0, wait[i] - 1) : cause("fill"), free, start[i]);
    free = Math.max(free, end[i]);
  }
  if (free < track.endTick) idle(cause("drain"), free, track.endTick);
  return sums;
}

// area: { from, to } in ticks, { rows: [first, last] }. Returns the sums of each row, and of all.
export function sumsOf(data, track, area) {
  const rows = [];
  for (let row = area.rows[0]; row <= area.rows[1]; ++row) rows.push({ rank: data.ranks[row], ...sumsOfRow(data, track, row, area) });
  const total = (of) => rows.reduce((sums, each) => sums.map((sum, i) => sum + of(each)[i]), of(rows[0]).map(() => 0));
  return { rows, all: { activity: total((each) => each.activity), idle: total((each) => each.idle) } };
}

// The columns that hold anything, computing first, then idle time, then the network, which runs beside both.
function columnsOf(data, track, all) {
  const activity = (network) => data.activities.map((name, i) => ({ look: name.replaceAll(" ", "-"), words: name, of: (sums) => sums.activity[i] }))
    .filter((column, i) => NETWORK.includes(data.activities[i]) === network && column.of(all) > 0);
  const byCause = CAUSES.map(([key, look, words]) => ({ look, words: words.split(":")[0], of: (sums) => sums.idle[data.causes.indexOf(key)] }));
  const idle = [{ look: "idle", words: "idle", of: (sums) => sums.idle.reduce((a, b) => a + b, 0) }];
  return [...activity(false), ...(track.columns.wait ? byCause : idle).filter((column) => column.of(all) > 0), ...activity(true)];
}

function headline(data, track, area, all) {
  const ranks = area.rows[1] - area.rows[0] + 1, from = Math.max(0, area.from), to = Math.min(track.endTick, area.to);
  const idle = all.idle.reduce((a, b) => a + b, 0), whole = Math.max(1, (to - from) * ranks);
  const which = ranks === 1 ? `rank ${data.ranks[area.rows[0]]}` : `ranks ${data.ranks[area.rows[0]]} to ${data.ranks[area.rows[1]]}`;
  return el("p", {}, el("b", {}, track.name), `, ${which}, ${duration(secondsAt(data, from))} to ${duration(secondsAt(data, to))}: ` +
    `${counted(ranks, "rank")} × ${duration(secondsAt(data, to - from))}, of which ${percent(1 - idle / whole)} computing and ${percent(idle / whole)} idle`);
}

// Returns the sums of an area as a table, a row for each rank.
export function sumsTable(data, track, area) {
  const { rows, all } = sumsOf(data, track, area);
  const columns = columnsOf(data, track, all);
  const cells = (sums, name) => [name, ...columns.map((column) => el("data", { value: secondsAt(data, column.of(sums)) }, duration(secondsAt(data, column.of(sums)))))];
  return [headline(data, track, area, all),
          table(["rank", ...columns.map(({ look, words }) => [swatch(look), words])],
                [...(rows.length > 1 ? [cells(all, el("b", {}, "all"))] : []), ...rows.map((sums) => cells(sums, String(sums.rank)))])];
}

// Returns the area between two points of a drawing, in ticks and whole rows; null if it has no width.
export function areaOf([x0, y0], [x1, y1], { ticksAt, row, rows }) {
  if (Math.abs(x1 - x0) < 3) return null;
  const inside = (y) => Math.min(rows - 1, Math.max(0, Math.floor(y / row)));
  return { from: Math.max(0, ticksAt(Math.min(x0, x1))), to: ticksAt(Math.max(x0, x1)), rows: [inside(Math.min(y0, y1)), inside(Math.max(y0, y1))] };
}
