// The dials: settings of an experiment with given durations.

import { el } from "../../../src/report/page/web/dom.js";
import { SCHEDULES } from "./experiment.js";

export const SPREADS = JSON.parse(document.getElementById("data").textContent);

export const settings = { ranks: 8, microbatches: 16, share: 0.2, trained: false, images: 1, spread: SPREADS[1], transfer_ms: 0,
                          schedules: ["1f1b", "balanced", "mpipe"] };

const DIALS = [
  { key: "ranks", words: "Pipeline ranks P", from: 2, to: 32, step: 2, shown: String },
  { key: "microbatches", words: "Microbatches M", from: 1, to: 128, step: 1, shown: String },
  { key: "share", words: "The encoder's share of the forward", from: 0.02, to: 0.6, step: 0.02, shown: (v) => `${Math.round(100 * v)} %` },
  { key: "images", words: "Images of a microbatch", from: 1, to: 16, step: 1, shown: String },
  { key: "transfer_ms", words: "A transfer between ranks", from: 0, to: 10, step: 0.25, shown: (v) => `${v} ms` },
];

// At least one schedule is compared.
function compare(name, box) {
  const others = settings.schedules.filter((each) => each !== name);
  if (others.length === 0) box.checked = true;
  settings.schedules = box.checked ? [...others, name] : others;
}

// Calls move() after each change.
export function dials(move) {
  const dial = ({ key, words, from, to, step, shown }) => {
    const value = el("output", {}, shown(settings[key]));
    const range = el("input", { type: "range", name: key, min: from, max: to, step, value: settings[key], input: () => {
      settings[key] = Number(range.value);
      value.textContent = shown(settings[key]);
      move();
    } });
    return el("label", { class: "dial" }, el("span", {}, words, " ", value), range);
  };
  const images = () => {
    const choice = el("select", { name: "spread", change: () => { settings.spread = SPREADS[choice.selectedIndex]; move(); } },
      SPREADS.map(({ name }) => el("option", { selected: name === settings.spread.name }, name)));
    return el("label", { class: "dial" }, el("span", {}, "Images"), choice);
  };
  const tick = (words, name, checked, change) => {
    const box = el("input", { type: "checkbox", name, checked, change: () => { change(box); move(); } });
    return el("label", { class: "tick" }, box, words);
  };
  return [DIALS.slice(0, 3).map(dial), images(), DIALS.slice(3).map(dial),
    tick("The encoder is trained", "trained", settings.trained, (box) => { settings.trained = box.checked; }),
    el("fieldset", {}, el("legend", {}, "Schedules"), SCHEDULES.map(({ name, words }) =>
      tick(words, name, settings.schedules.includes(name), (box) => compare(name, box))))];
}
