// The page of `plan`: the decision, each cluster at its best, the choices, and what they rest on.

import { bars, legendOf, scatter, seriesLegend } from "./charts.js";
import { el } from "./dom.js";
import { figure } from "./figure.js";
import { foldingTable, heading, lines, section } from "./parts.js";
import { passesSection } from "./measured_passes.js";
import { bytes, counted, duration, percent, rounded, signed, span, whole } from "./words.js";

// A second line of a cell.
function under(...text) {
  return el("small", { class: "under" }, text);
}

function unbroken(text) {
  return text && el("small", { class: "under unbroken" }, text);
}

function tableOf(columns, rows) {
  const used = columns.filter(Boolean);
  return foldingTable(used.map(([name]) => name), rows.map((one, i) => used.map(([, cell]) => cell(one, i))));
}

function decision({ document }) {
  return el("dl", { class: "decision" }, document.recommendation.lines.map(({ about, text }) => [el("dt", {}, about), el("dd", {}, text)]));
}

function interval(one) {
  return one.interval && unbroken(one.interval.map(signed).join(" to "));
}

// One row for each number of a cluster's devices, the best of the cluster first.
function clustersSection({ document }) {
  const { objective, plans } = document;
  const rows = document.clusters.flatMap((cluster, c) => {
    const all = cluster.by_devices.map((best, d) => ({ ...best, cluster, at: `/clusters/${c}/by_devices/${d}` }));
    return all.sort((a, b) => (b.devices === cluster.devices) - (a.devices === cluster.devices));
  });
  const has = (key) => rows.some((one) => one[key] !== null);
  const columns = [
    ["cluster", (one) => [one.devices === one.cluster.devices ? el("b", {}, one.cluster.cluster) : one.cluster.cluster, under(counted(one.devices, "device"))]],
    ["plan", (one) => [el("b", {}, `plan ${one.plan}`), under(layoutText(plans[one.plan - 1]))]],
    ["step", (one) => [figure(document, `/plans/${one.plan - 1}/step_s`, duration), unbroken(intervalText(plans[one.plan - 1]))]],
    has("least_days") && ["days", (one) => figure(document, `/plans/${one.plan - 1}/days`, rounded)],
    has("least_usd") && ["USD", (one) => figure(document, `/plans/${one.plan - 1}/usd`, whole)],
    [`${objective === "usd" ? "cost" : "time"} against plan 1`, (one) =>
      (one.plan === 1 ? "–" : [figure(document, `${one.at}/difference/share`, signed), interval(one.difference), one.difference.tied && under("cannot be told apart")])],
    ["least step, proved", (one) => [figure(document, `${one.at}/least_step_s`, duration), one.least_launch_reason && under("cannot be launched")]],
    ["frontier", (one) => (one.on_frontier ? "yes" : "–")],
  ];
  return section("clusters", "Each cluster at its best",
    "The plan that leads on each number of a cluster's devices; the best of a cluster is bold. Bounds prove that no layout on these devices takes less than the least step. " +
    "On the frontier none of the others is both faster and cheaper. Below a figure is its 90 % interval.", tableOf(columns, rows),
    lines("Without a plan", document.without_plan.map((one) => `${counted(one.devices, "device")} of ${one.cluster}: ${one.why}`)));
}

function layoutText(p) {
  return `P=${p.ranks} TP=${p.tensor}` + (p.context > 1 ? ` CP=${p.context}` : "") + (p.expert > 1 ? ` EP=${p.expert}` : "") +
         ` R=${p.replicas}, ${p.microbatches}x${p.microbatch_sequences}`;
}

function intervalText(p) {
  return p.step_interval_s && p.step_interval_s.map(duration).join(" to ");
}

// The layouts that a plan stands for.
function foldedText(p) {
  return p.folded.length > 0 && el("details", {}, el("summary", {}, `and ${p.folded.length} more`), el("ul", {}, p.folded.map((text) => el("li", {}, text))));
}

function choicesSection({ document }) {
  const at = (i, key) => `/plans/${i}/${key}`, has = (key) => document.plans.some((one) => one[key] !== null);
  const columns = [
    ["plan", (p, i) => [el("b", {}, `plan ${i + 1}`), ` ${p.cluster}`, under(`${counted(p.devices, "device")}, tie ${p.tie}`)]],
    ["layout", (p) => [layoutText(p), under(`${p.schedule}, recompute ${p.recompute}, ${p.data}`), foldedText(p)]],
    ["launch", (p) => el("span", { class: "unbroken" }, p.launch?.framework ?? "no")],
    ["step", (p, i) => [figure(document, at(i, "step_s"), duration), unbroken(intervalText(p)), p.simgrid_s !== null && under("SimGrid ", figure(document, at(i, "simgrid_s"), duration))]],
    has("peak_memory_bytes") && ["peak memory", (p, i) => figure(document, at(i, "peak_memory_bytes"), bytes)],
    ["MFU", (p, i) => figure(document, at(i, "mfu"), percent)],
    has("usd_per_1e12_useful_tokens") && ["USD per 10¹² useful tokens", (p, i) => figure(document, at(i, "usd_per_1e12_useful_tokens"), whole)],
    has("days") && ["days", (p, i) => [figure(document, at(i, "days"), rounded), p.goodput?.days && under(`${rounded(p.goodput.days)} with failures`)]],
    has("goodput") && ["goodput", (p, i) => (p.goodput ? [figure(document, at(i, "goodput/share"), percent), under(`a checkpoint every ${counted(p.goodput.interval_steps, "step")}`)] : "–")],
    has("evidence") && ["weakest evidence", (p) => p.evidence ?? "–"],
  ];
  return section("plans", "Choices", "Plans differ in layout, family of schedules or recomputation, and stand for others that cannot be told apart. Plans with the same tie number cannot be told apart either. " +
    "P, TP, CP and EP are pipeline ranks and tensor, context and expert parallel devices, R replicas; 16x1 are 16 microbatches of 1 sequence. Below a step is its 90 % interval. Each plan is an experiment, plan-N.json, beside this file.", tableOf(columns, document.plans));
}

// A checkpoint's size, time and interval, and the failures that it is for.
function failuresSection({ document }) {
  const rows = document.plans.map((p, i) => ({ ...p, number: i + 1, at: `/plans/${i}/goodput` })).filter((p) => p.goodput);
  if (rows.length === 0) return null;
  const of = (p, key, format) => figure(document, `${p.at}/${key}`, format), has = (key) => rows.some((p) => p.goodput[key] !== null);
  const columns = [
    ["plan", (p) => [el("b", {}, `plan ${p.number}`), ` ${p.cluster}`, under(counted(p.devices, "device"))]],
    ["goodput", (p) => [of(p, "share", percent), under("simulated ", of(p, "simulated/share", percent))]],
    ["a failure every", (p) => [of(p, "mtbf_s", span), under(p.goodput.mtbf_source)]],
    has("failures") && ["failures of the run", (p) => of(p, "failures", rounded)],
    ["restart", (p) => of(p, "restart_s", span)],
    ["checkpoint", (p) => [of(p, "checkpoint_bytes", bytes), under("written in ", of(p, "checkpoint_write_s", duration), ", training stands still for ", of(p, "checkpoint_stall_s", duration))]],
    ["checkpoint every", (p) => [of(p, "interval_s", span), under(counted(p.goodput.interval_steps, "step"), p.goodput.interval_stated ? ", as stated" : ", the best")]],
    has("spares") && ["spare nodes", (p) => (p.goodput.spares ? [of(p, "spares/nodes", whole), under("enough nodes work ", of(p, "spares/enough_share", percent), " of the time")] : "–")],
  ];
  return section("failures", "Goodput: what failures cost", "The share of a long run that trains. The rest goes to checkpoints, to work that is done again after a failure, to restarts" +
    (has("spares") ? ", and to waiting for nodes." : "."),
    legendOf([["trains", "computing"], ["lost", "waiting/dots"]]),
    bars(rows.map((p) => ({ name: `plan ${p.number}, ${p.cluster}`, parts: [{ value: p.goodput.share, look: "computing", words: "trains" },
      { value: 1 - p.goodput.share, look: "waiting/dots", words: "lost" }] })), { format: percent, most: 1, label: "Share of a long run that trains, by plan" }),
    tableOf(columns, rows));
}

function pictureSection({ picture }) {
  return section("time-cost", "Time and cost", `Each point is a layout: ${picture.subtitle}. ${picture.caption}`,
    seriesLegend(picture.groups.map((group) => group.name)),
    scatter({ x: picture.x_label, y: picture.y_label, best: picture.best, groups: picture.groups, label: "Layouts by time and cost" }),
    el("ol", { class: "lines" }, picture.best.map((one) => el("li", {}, one.text))));
}

function launchSection({ document }) {
  const words = (one) => one.launch
    ? [el("h3", {}, `Plan ${one.rank}: ${one.launch.framework} ${one.launch.version}`), el("p", { class: "code" }, one.launch.arguments.split(" ").map((word) => [el("span", {}, word), " "]))]
    : [el("h3", {}, `Plan ${one.rank} cannot be launched`), el("p", {}, one.launch_reason)];
  return section("launch", "Launch", ["Arguments of layout and batch. ", el("code", {}, "spillway export plan-N.json --to NAME"), " writes the whole files."],
    document.plans.flatMap(words));
}

// What the best that a framework can launch takes more than its best; both are on one cluster.
function launchText(objective, { best, launchable, launch_reason }) {
  if (launch_reason === null) return "yes";
  if (launchable === null) return ["no", under(launch_reason)];
  const value = (plan) => plan.step_s * (objective === "usd" ? plan.devices : 1);
  return [signed(value(launchable) / value(best) - 1), under(launch_reason)];
}

function boundText({ bound, frameworks }) {
  if (!bound) return [];
  const takes = `${duration(bound.step_s)} a step on ${counted(bound.devices, "device")}, ${layoutText(bound)}, ${bound.schedule}, ${bound.data}`;
  return [bound.holds ? `no software reaches less than ${takes}`
                      : `ideal software takes ${takes}; it is no bound here, since ${frameworks[0].framework} holds less memory or moves fewer bytes`];
}

// The best of each framework that was looked at, a table for each cluster.
function softwareTable(document, software, at) {
  const rows = software.frameworks.map((one, i) => ({ ...one, at: `${at}/frameworks/${i}` })).filter((one) => one.best);
  const has = (key) => rows.some((one) => one.best[key] !== null);
  const columns = [
    ["framework", (one) => [one.framework, one.alike.length > 0 && under(`and ${one.alike.join(", ")}`)]],
    ["layout", (one) => [layoutText(one.best), under(`${counted(one.best.devices, "device")}, ${one.best.schedule}, recompute ${one.best.recompute}, ${one.best.data}`)]],
    ["step", (one) => figure(document, `${one.at}/best/step_s`, duration)],
    has("days") && ["days", (one) => figure(document, `${one.at}/best/days`, rounded)],
    has("usd_per_1e12_useful_tokens") && ["USD per 10¹² useful tokens", (one) => figure(document, `${one.at}/best/usd_per_1e12_useful_tokens`, whole)],
    rows.some((one) => one.images !== null) && ["images", (one) => (one.splits_models ? one.images : "whole")],
    ["launch", (one) => launchText(document.objective, one)],
  ];
  return [el("h3", {}, software.cluster), rows.length > 0 && tableOf(columns, rows),
          lines("Without a plan", software.frameworks.filter((one) => one.why).map((one) => `${one.framework}: ${one.why}`)),
          lines("Bound", boundText(software))];
}

function softwareSection({ document }) {
  const asked = document.software.map((one, i) => [one, `/software/${i}`]).filter(([one]) => one.frameworks.length > 1 || one.bound);
  return asked.length > 0 && section("software", "Software", "The best of each framework that was looked at. Where it cannot launch its best, the last column has what the best that it can launch takes more, and why.",
    asked.flatMap(([one, at]) => softwareTable(document, one, at)));
}

function errorsText(document) {
  return document.known_errors.map(({ cluster, between_layouts: b, between_clusters: c }) =>
    `layouts of ${cluster} are told apart if they differ by more than ${percent(b.share)} (${b.table}, ${counted(b.rows, "row")}), clusters if they differ by more than ` +
    `${percent(c.share)} (${c.table}, ${counted(c.rows, "row")})`);
}

// "Train on 16 devices of A under F, launched by L: 4 replicas (R); no pipeline." Where to train is the answer.
const clausesOf = (verdict) => verdict.replace(", launched by ", "; launched by ").replace(": ", "; ").replace(/\.$/, "");

export function planPage(data) {
  const { document } = data;
  const facts = [counted(document.draws, "draw") + `, seed ${document.seed}`, `ranked by ${document.objective === "usd" ? "cost" : "time"}`];
  return [
    heading(document.name, clausesOf(data.verdict), facts, decision(data), el("p", { class: "hint" }, data.counts)),
    clustersSection(data), choicesSection(data), failuresSection(data), softwareSection(data), pictureSection(data), passesSection(data), launchSection(data),
    section("inputs", "Assumptions and inputs", "", lines("Warnings", document.plans[0].warnings.map((one) => `plan 1: ${one.text}`)),
            lines("Told apart", errorsText(document)), lines("Assumed", document.assumptions)),
  ];
}
