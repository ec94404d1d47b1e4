// The page of `run`: the answer, then its parts. Every figure is the report's; the page computes none.

import { CAUSES } from "./causes.js";
import { bars, legendOf, spreads } from "./charts.js";
import { el } from "./dom.js";
import { differenceWords, foundSection, shownFirst } from "./found_order.js";
import { figure, halfWidth, mean, most as mostOf } from "./figure.js";
import { passesSection } from "./measured_passes.js";
import { evidenceShares, heading, inputsSection, section, table } from "./parts.js";
import { Timelines } from "./timeline.js";
import { bytes, counted, duration, percent, sentence, signed, times, whole } from "./words.js";

const PATH = [
  ["transposed_forward_s", "encoder-forward", "transposed forwards"],
  ["transposed_backward_s", "encoder-backward", "transposed backwards"],
  ["forward_s", "forward", "forwards"],
  ["backward_s", "backward", "backwards"],
  ["overlapped_s", "forward-and-backward-together", "forwards and backwards together"],
  ["transfers_s", "transfer", "transfers"],
  ["reductions_s", "reduce", "reductions"],
];

const MEMORY = [
  ["parameter_bytes", "memory-most", "parameters"],
  ["gradient_bytes", "memory-middle", "gradients"],
  ["optimizer_bytes", "memory-least", "optimizer"],
  ["activation_bytes", "memory-most/stripes", "activations"],
  ["transposed_bytes", "memory-middle/backslashes", "activations of a transposed encoder"],
  ["waiting_bytes", "memory-most/dots", "data that wait for their pass"],
  ["working_bytes", "memory-middle/bars", "the running backward's own"],
  ["workspace_bytes", "memory-least/dots", "temporaries of operators"],
];

function facts(report) {
  const { layout } = report;
  return [
    report.platform,
    layout.devices !== null && counted(layout.devices, "device"),
    `${counted(layout.ranks, "rank")}, ${counted(layout.microbatches, "microbatch").replace(/hs?$/, layout.microbatches === 1 ? "h" : "hes")}, ` +
      counted(layout.replicas, "replica"),
    `${counted(report.draws, "draw")}, seed ${report.seed}`,
    report.schedules[0].engines.simgrid_s === null ? "timed by the longest path" : "replayed by SimGrid",
  ].filter(Boolean);
}

function memoryCell(report, i) {
  const schedule = report.schedules[i];
  const held = figure(report, `/schedules/${i}/peak_memory_bytes`, bytes, { none: "unknown", part: "max" });
  return schedule.fits === false ? [held, " ", el("strong", { class: "bad" }, "does not fit")] : held;
}

// Says what the columns are that a newcomer does not know.
function columnWords(report, bounds, has) {
  const many = report.draws > 1;
  return [
    many && `Means over ${counted(report.draws, "draw")} (sampled batches); ± is half of the 95 % interval of the mean.`,
    report.schedules.length + report.references.length > 1 && `The speedup is over ${report.baseline}.`,
    bounds && "No order of a schedule's passes is shorter than their bound.",
    "Bubble: the share of the step in which ranks do not compute.",
    has("max_spill_s") && "Max spill: the most that a rank encodes beyond its idle time before the first forward. Exposed encoder: how much the encoder lengthens the step.",
  ].filter(Boolean).join(" ");
}

export function schedulesSection(report, bounds = false) {
  const many = report.draws > 1, compared = report.schedules.length + report.references.length, at = (i, key) => `/schedules/${i}/${key}`;
  const has = (key) => report.schedules.some((schedule) => mean(schedule[key]) !== null);
  const columns = [
    ["schedule", (i) => [el("b", {}, report.schedules[i].name), report.schedules[i].ranked === false && " (not ranked)"]],
    ["step", (i) => [figure(report, at(i, "makespan_s"), duration),
                     many && el("small", {}, " ± " + duration(halfWidth(report.schedules[i].makespan_s)))]],
    compared > 1 && ["speedup", (i) => figure(report, at(i, "speedup"), times)],
    bounds && ["bound of its passes", (i) => figure(report, at(i, "lower_bound_s"), duration)],
    has("peak_memory_bytes") && [many ? "peak memory, most" : "peak memory", (i) => memoryCell(report, i)],
    ["bubble", (i) => figure(report, at(i, "bubble_fraction"), percent)],
    has("max_spill_s") && ["max spill", (i) => figure(report, at(i, "max_spill_s"), duration)],
    has("exposed_encoder_s") && ["exposed encoder", (i) => figure(report, at(i, "exposed_encoder_s"), duration)],
    has("mfu") && ["MFU", (i) => figure(report, at(i, "mfu"), percent)],
    has("useful_tokens_per_s") && ["useful tokens/s", (i) => figure(report, at(i, "useful_tokens_per_s"), whole)],
  ].filter(Boolean);
  const rows = report.schedules.map((_, i) => columns.map(([, cell]) => cell(i)));
  report.references.forEach((reference, i) => rows.push(columns.map(([name]) =>
    name === "schedule" ? `[${reference.name}]`
    : name === "step" ? figure(report, `/references/${i}/makespan_s`, duration)
    : name === "speedup" ? figure(report, `/references/${i}/speedup`, times) : "")));
  const notes = report.schedules.filter((schedule) => schedule.ranked === false)
    .map((schedule) => `${schedule.name} is not ranked: ${schedule.unranked_reason}.`);
  if (report.references.length > 0)
    notes.unshift("In square brackets: schedules that are not in the experiment and were added for comparison, with the same body and nothing transposed.");
  return section("schedules", "The schedules", [columnWords(report, bounds, has), ...notes].join(" "),
    table(columns.map(([name]) => name), rows));
}

function timelineSection(data, report) {
  const of = report.layout.replicas > 1 ? `Replica 0 of ${report.layout.replicas}, the` : "The";
  const ranks = data.ranks.length < report.layout.ranks ? ` ${data.ranks.length} of ${report.layout.ranks} ranks.` : "";
  return section("timeline", "The step, event by event",
    `${of} first draw, every schedule on the same time axis. Rows are ranks, numbers are microbatches. The thin strip under a rank shows its network; zoomed in, arrows are transfers.${ranks}` +
    differenceWords(data), new Timelines(...(data.synthesis ? shownFirst(data, report) : [data, report])).element);
}

function perSchedule(data, report, chart) {
  return el("div", { class: "panels" }, report.schedules.map((schedule, i) => {
    const drawn = chart(schedule, data.schedules[i], i);
    return drawn && el("figure", {}, el("figcaption", {}, el("b", {}, schedule.name)), drawn);
  }));
}

function rankRows(data, schedule, partsOf) {
  return schedule.ranks.map((rank, i) => ({ name: `rank ${rank.rank}`, label: String(rank.rank), ...partsOf(rank, i) }));
}

function memorySection(data, report) {
  if (!report.schedules.some((schedule) => schedule.ranks[0].peak_memory)) return null;
  const limit = report.schedules[0].memory_limit_bytes;
  const held = (rank) => mostOf(rank.peak_memory_bytes);
  const most = Math.max(limit ?? 0, ...report.schedules.flatMap((s) => s.ranks.map(held))) * 1.04;
  const chart = (schedule) => bars(rankRows(data, schedule, (rank) => ({
    parts: MEMORY.map(([key, look, words]) => ({ value: mean(rank.peak_memory[key]), look, words })),
    ...(report.draws > 1 && { mark: held(rank), markWords: "maximum over the draws" }),
  })), { format: bytes, most, label: `Peak memory of each rank of ${schedule.name} by content`,
         marks: limit === null ? [] : [{ at: limit, words: `limit: ${bytes(limit)}` }] });
  const used = MEMORY.filter(([key]) => report.schedules.some((s) => s.ranks.some((rank) => mean(rank.peak_memory[key]) > 0)));
  return section("memory", "Memory of each rank at its peak",
    `Memory of one device per rank, replica 0${report.draws > 1 ? ", means over the draws; the short line on a bar is the maximum over the draws" : ""}` +
    (limit === null ? "." : `; the long line is the limit, ${bytes(limit)}.`) +
    " To see memory over time, tick “memory held” above the timelines.",
    legendOf(used.map(([, look, words]) => [words, look])), perSchedule(data, report, chart));
}

export function bubbleSection(data, report) {
  const idle = ({ bubble_s }) => data.ranks.map((_, i) => CAUSES.reduce((sum, [key]) => sum + bubble_s[key][i], 0));
  const most = Math.max(...data.schedules.flatMap(idle)) * 1.04 || 1;
  const used = CAUSES.filter(([key]) => data.schedules.some((drawn) => drawn.bubble_s[key].some((seconds) => seconds > 0)));
  const chart = (schedule, drawn) => bars(rankRows(data, schedule, (_, i) => ({
    parts: used.map(([key, look, words]) => ({ value: drawn.bubble_s[key][i], look, words })),
  })), { format: duration, most, label: `Idle time of each rank of ${schedule.name} by what it waits for` });
  return section("bubble", "Why ranks idle", "Time in which a rank does not compute, by the cause of its waits. First draw, replica 0.",
                 legendOf(used.map(([, look, words]) => [words, look])), perSchedule(data, report, chart));
}

function pathSection(report) {
  const inStages = (schedule) => schedule.spill === null, mixed = report.schedules.some(inStages) && !report.schedules.every(inStages);
  const used = PATH.filter(([key]) => report.schedules.some((schedule) => schedule.critical_path[key] > 0));
  const rows = report.schedules.map((schedule) => ({
    name: schedule.name, parts: used.map(([key, look, words]) => ({ value: schedule.critical_path[key], look, words })),
  }));
  const most = Math.max(...rows.map((each) => each.parts.reduce((sum, part) => sum + part.value, 0))) * 1.01;
  return section("path", "Parts of the critical path", "The chain of events that determines the step: each begins when the one before it ends. First draw." +
                 (mixed ? " Forwards and backwards include those of an encoder in the pipeline's stages." : ""),
                 legendOf(used.map(([, look, words]) => [words, look])),
                 bars(rows, { format: duration, most, thick: 22, label: "Parts of each schedule's critical path" }));
}

export function spillSection(data, report) {
  const spilling = report.schedules.filter((schedule) => schedule.spill !== null);
  if (spilling.length === 0) return null;
  const seconds = (rank) => [mean(rank.encoder_s), mean(rank.warmup_slack_s)];
  const most = Math.max(...spilling.flatMap((s) => s.ranks.flatMap(seconds))) * 1.04 || 1;
  const chart = (schedule) => schedule.spill && [bars(rankRows(data, schedule, (rank) => {
    const encoder = mean(rank.encoder_s), spill = mean(rank.spill_s);
    return { parts: [{ value: encoder - spill, look: "encoder-forward", words: "encoding within the slack" },
                     { value: spill, look: "bad/stripes", words: "spill" }],
             mark: mean(rank.warmup_slack_s), markWords: "slack" };
  }), { format: duration, most, label: `Encoder work of each rank of ${schedule.name} against its slack` }),
    el("p", { class: "hint" }, sentence(schedule.spill.explanation))];
  return section("spill", "Does the encoder fit into the bubbles?",
    "Bars: the time that a rank encodes (E_r). Line: its slack, the idle time before its first forward (w_r). What lies beyond the line spills: it delays the pipeline.",
    legendOf([["within the slack", "encoder-forward"], ["spill", "bad/stripes"], ["slack", null, "line"]]), perSchedule(data, report, chart));
}

function drawsSection(data, report) {
  if (report.draws === 1) return null;
  const rows = report.schedules.map((schedule, i) => ({ name: schedule.name, values: data.schedules[i].makespans_s, ...schedule.makespan_s }));
  return section("draws", "How much the step varies", `${counted(report.draws, "draw")} of the images, the same for every schedule. Each dot is a draw, ` +
    "the bar goes from the 5th to the 95th percentile, the line is the mean.", spreads(rows, { format: duration, label: "Steps by draw" }));
}

function sureSection({ report, unknowns }) {
  const sure = report.schedules.filter((schedule) => schedule.interval !== null);
  if (sure.length === 0) return null;
  const parted = sure.find((schedule) => schedule.interval.rests_on.length > 0);
  const restsOn = parted ? ` The width of ${parted.name}'s comes from ` + parted.interval.rests_on.slice(0, 3)
    .map((part) => `${unknowns[part.unknown]} (${percent(part.share)})`).join(", ") + "." : "";
  return el("p", {}, `90 % prediction interval of the step: ` + sure.map((schedule) =>
    `${schedule.name} ${duration(schedule.interval.from_s)} to ${duration(schedule.interval.to_s)}`).join(", ") +
    ` (${100 * sure[0].interval.probability} % of ${sure[0].interval.draws} samples of the uncertain figures of machine and software).` + restsOn);
}

function helpSection({ explanation }) {
  if (!explanation) return null;
  return section("help", "What would help", "The job evaluated again with one change at a time, by the longest path. Gain: how much less device " +
    "time a microbatch takes. With twice the devices, a step half as long gains nothing.", explanation.schedules.map((one) => el("figure", {}, el("figcaption", {}, el("b", {}, one.name)),
      table(["change", "step", "gain", "devices", ""], one.would_help.map((tried) => tried.refusal !== null
        ? [tried.change, "–", "–", "–", `cannot be tried: ${tried.refusal}`]
        : [tried.change, duration(tried.makespan_s), signed(tried.gain), whole(tried.devices), tried.fits === false ? el("strong", { class: "bad" }, "does not fit") : ""])))));
}

function ranksSection(data, report) {
  const rows = report.schedules.flatMap((schedule, s) => schedule.ranks.map((rank, i) => {
    const at = (key) => `/schedules/${s}/ranks/${i}/${key}`;
    const cells = ["busy_s", "communication_s", "bubble_s", "warmup_slack_s", "encoder_s", "spill_s"].map((key) => figure(report, at(key), duration));
    return [schedule.name, rank.rank, ...cells, figure(report, at("peak_memory_bytes"), bytes, { part: "max" })];
  }));
  return section("ranks", "Every rank in numbers", "",
    el("details", {}, el("summary", {}, `${counted(rows.length, "row")} of replica 0${report.draws > 1 ? ": means over the draws; memory is the maximum" : ""}`),
       table(["schedule", "rank", "busy", "communication", "bubble", "slack w_r", "encoder E_r", "spill", "peak memory"], rows)));
}

// All that follows the timelines.
export function detailSections(data) {
  const { report } = data;
  return [passesSection(data), memorySection(data, report), bubbleSection(data, report), pathSection(report), spillSection(data, report),
          drawsSection(data, report), helpSection(data), ranksSection(data, report), inputsSection(report)];
}

export function runPage(data) {
  const { report } = data;
  return [
    heading(report.experiment, data.verdict, facts(report), evidenceShares(report), sureSection(data)),
    foundSection(data),
    schedulesSection(report, data.synthesis !== null),
    timelineSection(data, report),
    ...detailSections(data),
  ];
}
