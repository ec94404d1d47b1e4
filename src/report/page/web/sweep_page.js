// The page of `sweep export --format html`: one figure over one axis. The reader sets the values of the other axes.

import { lines as linesChart, seriesLegend } from "./charts.js";
import { el } from "./dom.js";
import { heading, section, table } from "./parts.js";
import { counted, plain } from "./words.js";

const SHOWN = 200;  // the largest number of rows of the table

const text = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

class Sweep {
  constructor(document) {
    this.document = document;
    this.axes = document.axes;
    this.values = new Map(this.axes.map((axis) => [axis, [...new Set(document.rows.map((row) => text(row[axis])))]]));
    this.schedules = [...new Set(document.rows.map((row) => row.schedule).filter((name) => name !== null))];
    const notFigures = new Set([...this.axes, "schedule", "fits", "evidence_weakest", "unranked_reason", "refusal"]);
    this.figures = document.columns.filter((one) => !notFigures.has(one.name) && document.rows.some((row) => row[one.name] !== null));
    this.x = this.axes.find((axis) => this.values.get(axis).length > 1) ?? this.axes[0];
    this.y = (this.figures.find((one) => one.name === "speedup_mean") ?? this.figures[0])?.name;
    this.held = new Map(this.axes.map((axis) => [axis, this.values.get(axis)[0]]));
    this.body = el("div", {});
    this.draw();
  }

  select(label, options, value, change) {
    return el("label", {}, label, " ", el("select", { change: (event) => { change(event.target.value); this.draw(); } },
      options.map((option) => el("option", { value: option, selected: option === value }, option))));
  }

  rows() {
    const others = this.axes.filter((axis) => axis !== this.x);
    return this.document.rows.filter((row) => row.schedule !== null && others.every((axis) => text(row[axis]) === this.held.get(axis)));
  }

  draw() {
    const rows = this.rows(), described = this.figures.find((one) => one.name === this.y);
    const series = this.schedules.map((name) => ({ name,
      points: rows.filter((row) => row.schedule === name && row[this.y] !== null).map((row) => [text(row[this.x]), row[this.y], row.fits]) }));
    this.body.replaceChildren(
      el("div", { class: "toolbar" },
        this.select("figure", this.figures.map((one) => one.name), this.y, (name) => { this.y = name; }),
        this.select("over", this.axes, this.x, (axis) => { this.x = axis; }),
        this.axes.filter((axis) => axis !== this.x && this.values.get(axis).length > 1).map((axis) =>
          this.select(axis, this.values.get(axis), this.held.get(axis), (value) => { this.held.set(axis, value); }))),
      el("p", { class: "hint" }, described?.meaning ?? "", described?.unit ? `, in ${described.unit}` : "", ". Hollow: does not fit."),
      seriesLegend(series.map((one) => one.name)),
      linesChart({ series, places: this.values.get(this.x), x: this.x, y: this.y, label: `${this.y} over ${this.x}` }));
  }
}

export function sweepPage({ verdict, document }) {
  const [first, ...others] = verdict.trim().split("\n");
  const sweep = new Sweep(document);
  const columns = [...document.axes, "schedule", "makespan_s_mean", "speedup_mean", "peak_memory_bytes_max", "fits", "unranked_reason", "refusal"]
    .filter((name) => document.rows.some((row) => row[name] !== null && row[name] !== undefined));
  const cell = (row, name) => (typeof row[name] === "number" ? plain(row[name]) : row[name] === null ? "–" : text(row[name]));
  return [
    heading(document.name, first, [counted(document.draws, "draw") + `, seed ${document.seed}`, `timed by ${document.engine}`],
            others.map((line) => el("p", {}, line))),
    sweep.figures.length > 0 && section("figures", "Figures over the grid", "", sweep.body),
    section("rows", "Rows", "", el("details", {}, el("summary", {}, `${Math.min(SHOWN, document.rows.length)} of ${counted(document.rows.length, "row")}`),
      table(columns, document.rows.slice(0, SHOWN).map((row) => columns.map((name) => cell(row, name)))))),
  ];
}
