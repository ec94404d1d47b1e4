// The page: settings on the left, what the core says of them on the right, anew at every move.

import { el } from "../../../src/report/page/web/dom.js";
import { bubbleSection, schedulesSection, spillSection } from "../../../src/report/page/web/run_page.js";
import { unpacked } from "../../../src/report/page/web/packed.js";
import { section } from "../../../src/report/page/web/parts.js";
import { Timelines } from "../../../src/report/page/web/timeline.js";
import { counted } from "../../../src/report/page/web/words.js";
import { experimentOf, SCHEDULES } from "./experiment.js";

const SPREADS = JSON.parse(document.getElementById("data").textContent);

const settings = { ranks: 8, microbatches: 16, share: 0.2, trained: false, images: 1, spread: SPREADS[1], transfer_ms: 0,
                   schedules: ["1f1b", "balanced", "mpipe"] };

const DIALS = [
  { key: "ranks", words: "Pipeline ranks P", from: 2, to: 32, step: 2, shown: String },
  { key: "microbatches", words: "Microbatches M", from: 1, to: 128, step: 1, shown: String },
  { key: "share", words: "The encoder's share of the forward", from: 0.02, to: 0.6, step: 0.02, shown: (v) => `${Math.round(100 * v)} %` },
  { key: "images", words: "Images of a microbatch", from: 1, to: 16, step: 1, shown: String },
  { key: "transfer_ms", words: "A transfer between ranks", from: 0, to: 10, step: 0.25, shown: (v) => `${v} ms` },
];

function dial({ key, words, from, to, step, shown }) {
  const value = el("output", {}, shown(settings[key]));
  const range = el("input", { type: "range", name: key, min: from, max: to, step, value: settings[key], input: () => {
    settings[key] = Number(range.value);
    value.textContent = shown(settings[key]);
    move();
  } });
  return el("label", { class: "dial" }, el("span", {}, words, " ", value), range);
}

function images() {
  const choice = el("select", { name: "spread", change: () => { settings.spread = SPREADS[choice.selectedIndex]; move(); } },
    SPREADS.map(({ name }) => el("option", { selected: name === settings.spread.name }, name)));
  return el("label", { class: "dial" }, el("span", {}, "Images"), choice);
}

function tick(words, name, checked, change) {
  const box = el("input", { type: "checkbox", name, checked, change: () => { change(box); move(); } });
  return el("label", { class: "tick" }, box, words);
}

// At least one is compared.
function compare(name, box) {
  const others = settings.schedules.filter((each) => each !== name);
  if (others.length === 0) box.checked = true;
  settings.schedules = box.checked ? [...others, name] : others;
}

const answer = el("h1", { "aria-live": "polite" }, " ");
const refused = el("div", {}), table = el("div", {}), below = el("div", {}), stage = el("div", {});
const text = el("pre", { class: "code", tabindex: 0 });
const controls = el("form", { class: "controls", "aria-label": "Settings" }, DIALS.slice(0, 3).map(dial), images(), DIALS.slice(3).map(dial),
  tick("The encoder is trained", "trained", settings.trained, (box) => { settings.trained = box.checked; }),
  el("fieldset", {}, el("legend", {}, "Schedules"), SCHEDULES.map(({ name, words }) =>
    tick(words, name, settings.schedules.includes(name), (box) => compare(name, box)))));

document.getElementById("page").append(
  el("header", {}, el("p", { class: "name" }, "Spillway · in the browser"), answer),
  el("div", { class: "bench" }, controls, el("div", { class: "results" }, stage, refused, table)), below,
  el("section", {}, el("h2", {}, "The same by the command line"),
     el("p", { class: "hint" }, "Saved as page.json, ", el("code", {}, "spillway run page.json --engine longest-path"), " gives these figures. " +
        "Encoder work is in parts of the mean microbatch's."),
     el("details", {}, el("summary", {}, "The experiment"), text)));

let core = null, timelines = null;

// For tests, too: an experiment in, what report.html shows of it out, or { refused: [...] }.
function simulated(experiment) {
  return JSON.parse(core.ccall("simulate", "string", ["string"], [JSON.stringify(experiment)]));
}

function show(data) {
  const { report } = data;
  answer.textContent = data.verdict.split("; ")[0];
  if (timelines) timelines.take(data, report);
  else stage.append(section("timeline", "The step, event by event",
    `${counted(report.layout.ranks, "rank")}; every schedule on the same axis. The thin strip under a rank shows its network.`,
    (timelines = new Timelines(data, report)).element));
  table.replaceChildren(schedulesSection(report));
  below.replaceChildren(...[bubbleSection(data, report), spillSection(data, report)].filter(Boolean));
}

// The schedules that the settings allow; why the others are not among them stands beside. Of the last one's refusal
// nothing is left to show.
function simulatedWherePossible(experiment) {
  const left = [];
  for (;;) {
    const data = simulated(experiment);
    const at = data.refused?.[0].match(/^\/schedules\/(\d+)/)?.[1];
    if (at === undefined || experiment.schedules.length === 1) return { data, left };
    const [without] = experiment.schedules.splice(Number(at), 1);
    left.push(`${without.name}: ${data.refused[0].replace(/^\S+: /, "")}`);
    experiment.baseline = experiment.schedules[0].name;
  }
}

function move() {
  const begun = performance.now();
  const experiment = experimentOf(settings);
  const { data, left } = simulatedWherePossible(experiment);
  text.textContent = JSON.stringify(experiment, null, 1);
  refused.replaceChildren(...left.map((line) => el("p", { class: "hint bad" }, line)));
  if (data.refused) answer.textContent = data.refused.join("; ");
  else show(data);
  // Timelines draw in the next frame, too, and asked first.
  requestAnimationFrame(() => performance.measure("spillway-moved", { start: begun }));
}

unpacked("core").then((module) => module.arrayBuffer()).then((wasmBinary) => spillwayCore({ wasmBinary })).then((module) => {
  core = module;
  window.spillway = { settings, spreads: SPREADS, experimentOf, simulated };
  move();
  requestAnimationFrame(() => performance.mark("spillway-drawn"));
}).catch((fault) => { answer.textContent = `This page cannot simulate: ${fault.message}`; });
