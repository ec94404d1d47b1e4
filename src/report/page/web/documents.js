// The pages of `validate` and `compare`: the answer, then the content of their documents.

import { bars, dots, legendOf } from "./charts.js";
import { el } from "./dom.js";
import { figure, mean } from "./figure.js";
import { heading, lines, section, table, textTable } from "./parts.js";
import { playedSections } from "./played.js";
import { Timelines } from "./timeline.js";
import { bytes, counted, duration, percent, plain, signed, times, whole, withSign } from "./words.js";

// --- validate

const thousandths = (share) => (100 * share).toFixed(3) + " %";

function errorCell(document, pointer) {
  return figure(document, pointer, signed);
}

// The ends of the prediction interval, relative to the measured step.
const rangeOf = ({ interval, measured_s }) => interval && [interval.from_s, interval.to_s].map((seconds) => seconds / measured_s - 1);

export function casesPage({ verdict, document }) {
  const rows = document.cases, known = rows.filter((one) => one.measured_s !== null);
  const has = (key) => rows.some((one) => one[key] !== null), at = (i, key) => `/cases/${i}/${key}`;
  const columns = [
    ["case", (one) => [one.name, one.fitted && el("small", {}, " fitted")]],
    ["measured", (one, i) => figure(document, at(i, "measured_s"), duration)],
    ["predicted", (one, i) => figure(document, at(i, "predicted_s"), duration)],
    ["error", (one, i) => errorCell(document, at(i, "error"))],
    has("interval") && ["90 % interval", (one) => (one.interval ? `${duration(one.interval.from_s)} to ${duration(one.interval.to_s)}` : "–")],
    has("blind_error") && ["error, predicted blind", (one, i) => errorCell(document, at(i, "blind_error"))],
    has("measured_memory_bytes") && ["measured memory", (one, i) => figure(document, at(i, "measured_memory_bytes"), bytes)],
    has("measured_memory_bytes") && ["predicted", (one, i) => figure(document, at(i, "predicted_memory_bytes"), bytes)],
    has("memory_error") && ["error", (one, i) => errorCell(document, at(i, "memory_error"))],
  ].filter(Boolean);
  return [
    heading(document.name, verdict, [counted(rows.length, "case"), counted(rows.filter((one) => one.fitted).length, "fitted case")]),
    known.length > 0 && section("errors", "Predicted against measured", "Error of each prediction, relative to the measured step, which is the line. Right of it the prediction is too long." +
      (has("interval") ? " Bars: 90 % intervals; one that touches the line holds the measured step." : ""),
      known.some((one) => one.fitted) && legendOf([["nothing was fitted to it", "ink"], ["a number of the model was fitted to it", "evidence-fitted"]]),
      dots(known.map((one) => ({ name: one.name, value: one.error, range: rangeOf(one), look: one.fitted ? "evidence-fitted" : "ink" })),
           { format: signed, label: "Errors by case" })),
    section("cases", "Every case", "", table(columns.map(([name]) => name), rows.map((one, i) => columns.map(([, cell]) => cell(one, i))))),
    section("inputs", "Assumptions and inputs", document.source, lines("Assumed", document.assumptions)),
  ];
}

// Several tables of measured steps, by class.
export function classesPage({ verdict, document }) {
  const rows = [...document.classes, document.all], of = (i) => (i < document.classes.length ? `/classes/${i}` : "/all");
  const shownFigure = (one, i, part, key, words) => (one[part] ? figure(document, `${of(i)}/${part}/${key}`, words) : "–");
  const columns = [
    ["class", (one) => (one === document.all ? el("b", {}, "all") : one.class ?? "no class")],
    ["cases", (one, i) => shownFigure(one, i, "time", "cases", whole)],
    ["error", (one, i) => shownFigure(one, i, "time", "mean_abs_error", percent)],
    ["bias", (one, i) => shownFigure(one, i, "time", "bias", signed)],
    ["in their 90 % interval", (one, i) => shownFigure(one, i, "intervals", "held", whole)],
    ["expected", (one) => (one.intervals ? `${one.intervals.least_expected} to ${one.intervals.most_expected}` : "–")],
    ["median width", (one, i) => shownFigure(one, i, "intervals", "median_width", percent)],
    ["memory", (one, i) => shownFigure(one, i, "memory", "mean_abs_error", percent)],
    ["ran, do not fit", (one, i) => shownFigure(one, i, "fits", "too_large", whole)],
    ["ran out, fit", (one, i) => shownFigure(one, i, "fits", "too_small", whole)],
    ["groups", (one, i) => shownFigure(one, i, "layouts", "groups", whole)],
    ["regret", (one, i) => shownFigure(one, i, "layouts", "mean_regret", percent)],
  ].filter(([, cell]) => rows.some((one, i) => cell(one, i) !== "–"));
  const groups = document.groups.map((one, i) => [one.table, one.chosen, one.best, figure(document, `/groups/${i}/regret`, percent)]);
  return [
    heading("Measured steps by class", verdict, [counted(document.tables.length, "table")]),
    section("classes", "By class", "Error: the mean absolute error of predicted steps; bias: their mean error. " +
      "Ran, do not fit: cases that ran, but are predicted not to fit into memory; ran out, fit: the other way round. Groups are layouts of one job. Cases that a number was fitted to count in groups alone.",
      table(columns.map(([name]) => name), rows.map((one, i) => columns.map(([, cell]) => cell(one, i))))),
    groups.length > 0 && section("groups", "Layouts of one job", "Regret: how much longer the layout predicted to be fastest takes than the fastest.",
      table(["table", "predicted to be fastest", "the fastest", "regret"], groups)),
    ...document.tables.map((one, t) => section(`table-${t}`, one.name, one.source, el("details", {}, el("summary", {}, counted(one.cases.length, "case")),
      table(["case", "measured", "predicted", "error"], one.cases.map((row, i) => [row.name,
        ...[["measured_s", duration], ["predicted_s", duration], ["error", signed]].map(([key, words]) => figure(document, `/tables/${t}/cases/${i}/${key}`, words))]))))),
  ];
}

const PARTS = [["compute_s", "computing", "computing"], ["transfer_s", "transfer", "transfers"], ["collective_s", "reduce", "collectives"],
               ["wait_s", "waiting/dots", "waiting"], ["host_gap_s", "bookkeeping/stripes", "host gaps"]];
const REPLAYS = [["replayed_s", "as measured"], ["constant_transfer_s", "typical time for every transfer"], ["means_only_s", "means of the job"],
                 ["means_per_replica_s", "means of each replica"], ["other_mode_s", "transfers in the other mode"], ["model_s", "the cost model"]];

// A step of the trace: the parts of each rank's span, with the measured bar above the replayed one.
function stepFigure(one) {
  const rows = one.ranks.flatMap((rank) => ["measured", "replayed", "model"].filter((side) => rank[side]).map((side) => ({
    name: `rank ${rank.rank}, ${side}`, label: `${rank.rank} ${side}`,
    parts: PARTS.map(([key, look, words]) => ({ value: rank[side][key], look, words })) })));
  const most = Math.max(...rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0))) * 1.02;
  return bars(rows, { format: duration, most, label: "Parts of each rank's span" });
}

export function tracePage(data) {
  const { verdict, document, timelines } = data;
  const shown = REPLAYS.filter(([key]) => document.cases.some((one) => one[key] !== null));
  const at = (i, key) => `/cases/${i}/${key}`;
  const facts = [document.format, document.schedule, counted(document.ranks, "rank"), counted(document.stages, "stage"),
                 `${whole(document.microbatches)} microbatches`, counted(document.replicas, "replica"), `transfers ${document.p2p}`];
  const first = document.cases[0];
  return [
    heading(document.files[0] ?? document.format, verdict, facts),
    playedSections(data),
    timelines && section("timeline", "Measured and replayed, event by event",
      `Step ${first.step}, replica ${first.replica}, on one axis of time. The measured timeline keeps its waits; the replay runs the same passes ` +
      "in the same order, each as soon as it can. Rows are ranks, numbers are microbatches. The thin strip under a rank shows its network.", new Timelines(timelines, timelines.report).element),
    first && section("ranks", "What each rank did", `Step ${first.step}, replica ${first.replica}: parts of each rank's span, measured and replayed.`,
      legendOf(PARTS.map(([, look, words]) => [words, look])), stepFigure(first)),
    section("errors", "Errors of each replay", "The trace's order again, with durations as a row says: how far its span (from the first event to the last) is from the measured one, over all steps and replicas.",
      table(["durations", "mean", "largest", "bias"], Object.keys(document.summary).filter((key) => document.summary[key]).map((key) => {
        const of = (name, format) => figure(document, `/summary/${key}/${name}`, format);
        return [REPLAYS.find(([name]) => name === key + "_s")?.[1] ?? key, of("mean_abs_error", thousandths), of("max_abs_error", thousandths), of("bias", withSign(thousandths))];
      }))),
    section("cases", "Every step", "", el("details", {}, el("summary", {}, counted(document.cases.length, "step")),
      table(["step", "replica", "measured", ...shown.map(([, words]) => words)], document.cases.map((one, i) =>
        [one.step, one.replica, figure(document, at(i, "measured_s"), duration), ...shown.map(([key]) => figure(document, at(i, key), duration))])))),
    document.notes.length > 0 && section("inputs", "What was read, guessed, dropped or missing", "", lines("", document.notes)),
  ];
}

// --- compare

function shown(value) {
  return value === null ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

// A figure is written by the unit at the end of its key.
const UNITS = [[/_s$/, duration], [/_bytes$/, bytes], [/(_fraction|_rate|^mfu)$/, percent], [/^speedup$/, times]];
const formatOf = (key) => UNITS.find(([end]) => end.test(key))?.[1] ?? plain;
const nameOf = (key) => (key === "makespan_s" ? "step" : key).replace(/_(s|bytes)$/, "").replaceAll("_", " ");
const hasAny = ({ a, b }) => (mean(a) ?? 0) !== 0 || (mean(b) ?? 0) !== 0;

function causesSection(document) {
  const moved = document.schedules.filter((one) => Object.values(one.causes).some((seconds) => seconds !== 0));
  return moved.length > 0 && section("causes", "Differences", "The difference of the step times, B − A, by cause. The parts add up to the difference; right of the line, B takes longer. Below are the figures that are not 0 in both.",
    legendOf([["B takes longer", "bad"], ["B is faster", "ink"]]),
    moved.map((one) => {
      const s = document.schedules.indexOf(one), causes = Object.keys(one.causes).filter((cause) => one.causes[cause] !== 0);
      return el("figure", {}, el("figcaption", {}, el("b", {}, one.name), `, by ${one.causes_are}`),
        dots(causes.map((cause) => ({ name: cause.replaceAll("_", " "), value: one.causes[cause], look: one.causes[cause] > 0 ? "bad" : "ink" })),
             { format: withSign(duration), label: `Differences of ${one.name}` }),
        table(["figure", "A", "B", "difference"], Object.keys(one.figures).filter((key) => hasAny(one.figures[key])).map((key) => [nameOf(key),
          ...[["a", formatOf(key)], ["b", formatOf(key)], ["difference", withSign(formatOf(key))]].map(([side, format]) =>
            figure(document, `/schedules/${s}/figures/${key}/${side}`, format))])));
    }));
}

export function comparisonPage({ verdict, document }) {
  const [first, ...others] = verdict.replace(/(^|\s)-(?=\d)/g, "$1−").split("\n");
  const notes = document.notes ?? [];
  return [
    heading("A " + document.a.file + " · B " + document.b.file, first, [document.a.kind + " against " + document.b.kind],
            others.map((line) => el("p", {}, line))),
    causesSection(document),
    document.configuration.length > 0 && section("configuration", "What differs", "", textTable(["key", "A", "B"],
      document.configuration.map((one) => [one.pointer, shown(one.a), shown(one.b)]))),
    notes.length > 0 && section("inputs", "Notes", "", lines("", notes)),
  ];
}
