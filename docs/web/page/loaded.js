// Files that a reader drops on the page or chooses: one of them is an experiment, the others are files that it names.

import { el } from "../../../src/report/page/web/dom.js";

const isExperiment = (text) => /"schema"\s*:\s*"spillway\/experiment\/1"/.test(text);

// Returns { name, text, others: [{ name, text }] }; throws an Error that says what is missing.
async function read(files) {
  const read = await Promise.all([...files].map(async (file) => ({ name: file.name, text: await file.text() })));
  const experiments = read.filter(({ text }) => isExperiment(text));
  if (experiments.length > 1) throw new Error(`one experiment at a time; these are experiments: ${experiments.map(({ name }) => name).join(", ")}`);
  // A file alone is meant as the experiment, and the core says what is wrong with it.
  const experiment = experiments[0] ?? (read.length === 1 ? read[0] : null);
  if (!experiment) throw new Error(`an experiment, "schema": "spillway/experiment/1", is among none of: ${read.map(({ name }) => name).join(", ")}`);
  return { ...experiment, others: read.filter((one) => one !== experiment) };
}

// Calls load({ name, text, others }), or fail(message).
export function loader(load, fail) {
  const take = (files) => files.length > 0 && read(files).then(load).catch((fault) => fail(fault.message));
  const choice = el("input", { type: "file", name: "load", multiple: true, accept: ".json,.csv,application/json,text/csv",
    change: () => { take(choice.files); choice.value = ""; } });
  const mark = (on) => (event) => { event.preventDefault(); document.body.classList.toggle("dropping", on); };
  addEventListener("dragover", mark(true));
  addEventListener("dragleave", mark(false));
  addEventListener("drop", (event) => { mark(false)(event); take(event.dataTransfer.files); });
  return el("label", { class: "load" }, "Load an experiment: drop its file on the page, or choose it", choice,
            el("small", {}, "Files of yours that it names come along with it. Nothing leaves this page."));
}
