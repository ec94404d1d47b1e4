// Parts that pages share: the answer at the top, sections, tables, and the evidence of a result.

import { bars, legendOf } from "./charts.js";
import { el } from "./dom.js";
import { swatch } from "./looks.js";
import { percent, plain, sentence } from "./words.js";

export const EVIDENCE = ["measured", "vendor", "derived", "fitted", "extrapolated", "assumed"];

const evidenceLook = (kind) => "evidence-" + kind + (kind === "assumed" ? "/stripes" : "");

export function section(id, title, words, ...content) {
  return el("section", { id }, el("h2", {}, title), words && el("p", { class: "hint" }, words), content);
}

// The text of a heading, which may begin with a swatch.
const wordsOf = (heading) => [heading].flat().filter((part) => typeof part === "string").join("");

function tableOf(kind, heading, rows) {
  return el("table", { class: kind },
    el("thead", {}, el("tr", {}, heading.map((content) => el("th", { scope: "col" }, content)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) =>
      (i === 0 ? el("th", { scope: "row" }, cell) : el("td", { "data-heading": wordsOf(heading[i]) }, el("div", {}, cell))))))));
}

// The first column has the row's name. The others are aligned to the right. On a phone each row is a card.
export function table(heading, rows) {
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": heading.map(wordsOf).join(", ") }, tableOf("narrow", heading, rows));
}

// A table of texts, which break, aligned to the left.
export function textTable(heading, rows) {
  return tableOf("narrow texts", heading, rows);
}

// A table whose long cells break. Below 1,000 pixels each row is a card, and its cells carry their headings.
export function foldingTable(heading, rows) {
  return tableOf("folding", heading, rows);
}

// Splits the verdict into clauses. The first is the answer; the others are its conditions.
export function heading(name, verdict, facts, ...below) {
  const [answer, ...rest] = verdict.split("; ");
  return el("header", {}, el("p", { class: "name" }, "Spillway · ", name), el("h1", {}, sentence(answer)),
            rest.length > 0 && el("p", { class: "rest" }, rest.map((clause) => el("span", { class: /not fit|too large|none fits/.test(clause) ? "bad" : null }, clause))),
            el("ul", { class: "facts" }, facts.map((fact) => el("li", {}, fact))), below);
}

// Returns the shares of a report's times by kind of evidence, or null if durations are given.
export function evidenceShares(report) {
  const known = report.schedules.filter((schedule) => schedule.evidence);
  if (known.length === 0) return null;
  const used = EVIDENCE.filter((kind) => known.some((schedule) => schedule.evidence[kind] > 0));
  return el("div", { class: "evidence" }, el("p", { class: "hint" }, "What the times rest on, from measured figures (strong) to assumptions (weak)."), legendOf(used.map((kind) => [kind, evidenceLook(kind)])),
    bars(known.map((schedule) => ({ name: schedule.name, parts: used.map((kind) =>
      ({ value: schedule.evidence[kind], look: evidenceLook(kind), words: kind })) })),
      { format: percent, most: 1, label: "Evidence behind the times, by kind" }));
}

export function lines(title, texts) {
  return texts.length > 0 && [title && el("h3", {}, title), el("ul", { class: "lines" }, texts.map((text) => el("li", {}, text)))];
}

function warningsOf(report) {
  const all = [...report.warnings.map((warning) => warning.text)];
  for (const schedule of report.schedules)
    for (const warning of schedule.warnings) if (!all.includes(warning.text)) all.push(`${schedule.name}: ${warning.text}`);
  return all;
}

// Returns the assumptions of each schedule.
function assumedBySchedule(report) {
  return report.schedules.flatMap((schedule) => (schedule.assumptions ?? []).map((text) => `${schedule.name}: ${text}`));
}

export function inputsSection(report) {
  const fitted = report.fitted.map((f) => `${f.pointer} = ${plain(f.value)}, so that ${f.schedule} takes ${plain(f.target_s)} s (reached ${plain(f.reached_s)} s)`);
  const rows = report.inputs.map((input) => [input.name, `${plain(input.value)} ${input.unit}`,
    el("span", {}, swatch(evidenceLook(input.kind)), input.kind), input.source]);
  return section("inputs", "Assumptions and inputs", report.inputs.length > 0 ? "" : "The experiment gives the durations, so no platform is modelled.",
    lines("Warnings", warningsOf(report)), lines("Assumed", [...report.assumptions, ...assumedBySchedule(report)]), lines("Fitted", fitted),
    rows.length > 0 && el("details", {}, el("summary", {}, `Every number of the platform: ${rows.length}`),
                          el("div", { class: "sources" }, table(["input", "value", "evidence", "source"], rows))),
    el("p", { class: "hint" }, `spillway ${report.program}, ${report.schema}; report.json beside this file has every figure.`));
}
