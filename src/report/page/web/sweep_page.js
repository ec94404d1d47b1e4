// The page of `sweep export --format html`: any figure over any axis, at the values of the other axes that the reader sets.
// Labels, values and which axes go together are the description that `sweep plot` draws from, too
// (src/sweep/plot/description.h).

import { lines as linesChart, seriesLegend } from "./charts.js";
import { el } from "./dom.js";
import { heading, section, table } from "./parts.js";
import { counted, plain, sentence } from "./words.js";

const SHOWN = 200;  // the largest number of rows of the table

const key = (value) => JSON.stringify(value);

class SweepChart {
  constructor(document, description) {
    Object.assign(this, { rows: document.rows, description, axes: description.axes });
    this.leaders = this.axes.filter((axis, i) => axis.along === i && axis.values.length > 1);
    if (this.leaders.length === 0) this.leaders = this.axes.slice(0, 1);
    this.x = this.leaders[0];
    this.figure = description.figures.find(({ name }) => name === "speedup_mean") ?? description.figures[0];
    this.held = new Map(this.leaders.map((axis) => [axis, key(axis.values[0].value)]));
    this.body = el("div", {});
    this.draw();
  }

  // Axes that go together are one selector: a value of the first stands for those of the others.
  labelOf(leader) {
    return this.axes.filter((axis) => this.axes[axis.along] === leader).map((axis) => axis.label).join(" and ");
  }

  // options: [[value, text]]
  select(label, options, chosen, change) {
    return el("label", {}, label, " ", el("select", { change: (event) => { change(event.target.selectedIndex); this.draw(); } },
      options.map(([value, text]) => el("option", { value, selected: value === chosen }, text))));
  }

  toolbar() {
    const figures = this.description.figures.map(({ name, label }) => [name, label]), axes = this.leaders.map((axis) => [axis.pointer, this.labelOf(axis)]);
    const others = this.leaders.filter((axis) => axis !== this.x);
    return el("div", { class: "toolbar" },
      this.select("figure", figures, this.figure.name, (i) => { this.figure = this.description.figures[i]; }),
      this.select("over", axes, this.x.pointer, (i) => { this.x = this.leaders[i]; }),
      others.map((axis) => this.select(this.labelOf(axis), axis.values.map(({ value, text }) => [key(value), text]), this.held.get(axis),
        (i) => { this.held.set(axis, key(axis.values[i].value)); })));
  }

  // A baseline whose figure is the same everywhere is a level, not a line, unless it is all there is.
  drawnSchedules() {
    const others = this.description.schedules.filter(({ baseline }) => !baseline);
    return this.figure.level !== null && others.length > 0 ? others : this.description.schedules;
  }

  series() {
    const others = this.leaders.filter((axis) => axis !== this.x);
    const rows = this.rows.filter((row) => others.every((axis) => key(row[axis.pointer]) === this.held.get(axis)));
    const places = this.x.values.map(({ value }) => key(value));
    return this.drawnSchedules().map(({ name, shown }) => ({ name: shown, points: rows
      .filter((row) => row.schedule === name && row[this.figure.name] !== null)
      .map((row) => ({ at: places.indexOf(key(row[this.x.pointer])), value: row[this.figure.name],
                       half: row[this.figure.interval] ?? 0, fits: row.fits !== false })) }));
  }

  caption(series) {
    const points = series.flatMap((one) => one.points), misfits = points.filter(({ fits }) => !fits).length;
    return [this.figure.meaning, points.some(({ half }) => half > 0) && "bars: 95 % interval of the mean",
            misfits > 0 && `hollow: ${counted(misfits, "step")} would not fit in memory`, this.description.note].filter(Boolean).join("; ") + ".";
  }

  draw() {
    const series = this.series(), baseline = this.description.schedules.find((one) => one.baseline);
    const level = this.figure.level !== null && !this.drawnSchedules().includes(baseline) && { at: this.figure.level, name: baseline.shown };
    this.body.replaceChildren(this.toolbar(), el("p", { class: "hint" }, sentence(this.caption(series))),
      seriesLegend(series.map(({ name }) => name), level && level.name),
      linesChart({ series, axis: { ...this.x, label: this.labelOf(this.x) }, y: this.figure.label, level, label: `${this.figure.label} over ${this.x.label}` }));
  }
}

// A line of the summary begins with its schedule, filled up with blanks.
function wordsOf(line) {
  const [, name, words] = line.match(/^ *(.*?) {2,}(.*)$/) ?? [];
  return name ? [el("b", {}, name), ": ", words] : line;
}

export function sweepPage({ verdict, document, description }) {
  const [first, ...others] = verdict.trim().split("\n");
  const columns = [...document.axes, "schedule", "makespan_s_mean", "speedup_mean", "peak_memory_bytes_max", "fits", "unranked_reason", "refusal"]
    .filter((name) => document.rows.some((row) => row[name] !== null && row[name] !== undefined));
  const text = (value) => (value === null ? "–" : typeof value === "number" ? plain(value) : typeof value === "string" ? value : key(value));
  return [
    heading(document.name, first, [counted(document.draws, "draw") + `, seed ${document.seed}`, `timed by ${document.engine}`],
            others.map((line) => el("p", {}, wordsOf(line)))),
    description.figures.length > 0 && section("figures", "Figures over the grid", "", new SweepChart(document, description).body),
    section("rows", "Rows", "", el("details", {}, el("summary", {}, `${Math.min(SHOWN, document.rows.length)} of ${counted(document.rows.length, "row")}`),
      table(columns, document.rows.slice(0, SHOWN).map((row) => columns.map((name) => text(row[name])))))),
  ];
}
