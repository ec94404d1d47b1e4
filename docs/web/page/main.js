// The page: an experiment on the left, by dials or loaded, and what the core says of it on the right, anew at every move.

import { el } from "../../../src/report/page/web/dom.js";
import { bubbleSection, detailSections, schedulesSection, spillSection } from "../../../src/report/page/web/run_page.js";
import { section } from "../../../src/report/page/web/parts.js";
import { Timelines } from "../../../src/report/page/web/timeline.js";
import { shownFirst, differenceWords, foundSection } from "../../../src/report/page/web/found_order.js";
import { counted } from "../../../src/report/page/web/words.js";
import { Core } from "./core.js";
import { dials, settings, SPREADS } from "./dials.js";
import { experimentOf } from "./experiment.js";
import { exporter, reportPage } from "./exported.js";
import { Improvement } from "./improvement.js";
import { loader } from "./loaded.js";

// What is on the page: an experiment's file name and text, and what the core said of it, null if it refused it.
const page = { name: "page.json", text: "", others: [], data: null };

const answer = el("h1", { "aria-live": "polite" }, " "), which = el("p", { class: "name" });
const refused = el("div", { "aria-live": "polite" }), table = el("div", {}), below = el("div", {}), stage = el("div", {});
const text = el("textarea", { name: "experiment", class: "code", rows: 18, spellcheck: "false", "aria-label": "The experiment as JSON" });
const save = exporter(() => page);
const improvement = new Improvement((effort) => core.improved(page.text, page.name, effort), showFound);
const controls = el("form", { class: "controls", "aria-label": "Settings" }, dials(() => move()), improvement.element,
                    loader(load, (why) => refuse([why], "")), save.element);

document.getElementById("page").append(
  el("header", {}, which, answer),
  el("div", { class: "bench" }, controls, el("div", { class: "results" }, refused, stage, table)), below,
  el("section", {}, el("h2", {}, "The experiment"),
     el("p", { class: "hint" }, "Change it here, or save it: ", el("code", {}, "spillway run page.json --engine longest-path"), " gives these figures. " +
        "Of the dials' experiment, encoder work is in parts of the mean microbatch's."),
     el("details", {}, el("summary", {}, "As JSON"), text)));

let core = null, timelines = null;

function show(data, sections) {
  const { report } = data;
  answer.textContent = data.verdict.split("; ")[0];
  if (timelines) timelines.take(data, report);
  else stage.append(section("timeline", "The step, event by event",
    "Every schedule on the same axis. The thin strip under a rank shows its network.", (timelines = new Timelines(data, report)).element));
  table.replaceChildren(schedulesSection(report));
  below.replaceChildren(...sections.filter(Boolean));
}

// What was shown before stays, but pale.
function refuse(violations, name) {
  answer.textContent = name ? `${name} cannot be simulated: ${counted(violations.length, "violation")}` : "This cannot be loaded";
  refused.replaceChildren(el("ul", { class: "lines bad refusals" }, violations.map((line) => el("li", {}, line))));
  page.data = null;
  mark();
}

function mark() {
  document.body.classList.toggle("stale", page.data === null);
  which.textContent = `Spillway · in the browser · ${page.name === "page.json" ? "the dials' experiment" : page.name}`;
  save.enable(page.data !== null);
}

// The schedules that the dials allow; why the others are not among them stands beside. Of the last one's refusal
// nothing is left to show.
function simulatedWherePossible(experiment) {
  const left = [];
  for (;;) {
    const data = core.simulated(JSON.stringify(experiment));
    const at = data.refused?.[0].match(/^\/schedules\/(\d+)/)?.[1];
    if (at === undefined || experiment.schedules.length === 1) return { data, left };
    const [without] = experiment.schedules.splice(Number(at), 1);
    left.push(`${without.name}: ${data.refused[0].replace(/^\S+: /, "")}`);
    experiment.baseline = experiment.schedules[0].name;
  }
}

// The found order first, then the named one that it differs from.
function showFound(data) {
  if (data.refused) return refuse(data.refused, page.name);
  page.data = data;
  refused.replaceChildren(el("p", { class: "hint" }, differenceWords(data)));
  const [drawn, report] = shownFirst(data, data.report);
  show({ ...drawn, report }, [foundSection(data), bubbleSection(data, data.report)]);
  mark();
}

// The dials' experiment takes the place of a loaded one.
function move() {
  improvement.stop();
  const begun = performance.now();
  const experiment = experimentOf(settings);
  const { data, left } = simulatedWherePossible(experiment);
  Object.assign(page, { name: "page.json", text: JSON.stringify(experiment, null, 1), others: [], data: data.refused ? null : data });
  text.value = page.text;
  if (data.refused) return refuse(data.refused, "the dials' experiment");
  refused.replaceChildren(...left.map((line) => el("p", { class: "hint bad" }, line)));
  show(data, [bubbleSection(data, data.report), spillSection(data, data.report)]);
  mark();
  // Timelines draw in the next frame, too, and asked first.
  requestAnimationFrame(() => performance.measure("spillway-moved", { start: begun }));
}

async function load(file) {
  improvement.stop();
  Object.assign(page, file, { data: null });
  text.value = file.text;
  mark();
  answer.textContent = `Simulating ${file.name} …`;
  await core.give(file.others, [file.text, ...file.others.map((other) => other.text)]);
  await new Promise((painted) => setTimeout(painted, 30));
  try {
    simulateLoaded();
  } catch (fault) {  // memory that ran out, for one: a core that stopped cannot go on
    core = await Core.started();
    refuse([`the page's core stopped: ${fault.message}. The program itself may run it.`], page.name);
  }
}

function simulateLoaded() {
  const data = core.simulated(page.text, page.name);
  if (data.refused) return refuse(data.refused, page.name);
  page.data = data;
  refused.replaceChildren();
  show(data, detailSections(data));
  mark();
}

// A changed text is an experiment of its own.
let typing = 0;
text.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => load({ name: page.name === "page.json" ? "changed.json" : page.name, text: text.value, others: page.others }), 500);
});

Core.started().then((started) => {
  core = started;
  // For tests: an experiment in, what report.html shows of it out, or { refused: [...] }.
  window.spillway = { settings, spreads: SPREADS, experimentOf, page, reportPage, simulated: (experiment) => core.simulated(JSON.stringify(experiment)) };
  move();
  requestAnimationFrame(() => performance.mark("spillway-drawn"));
}).catch((fault) => { answer.textContent = `This page cannot simulate: ${fault.message}`; });
