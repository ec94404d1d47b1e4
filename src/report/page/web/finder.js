// The search of timelines: a field for words and numbers, and the way from one event found to the next.

import { el } from "./dom.js";
import { found } from "./search.js";
import { counted } from "./words.js";

const MOST_OUTLINED = 2000;

export class Finder {
  constructor(timelines) {
    Object.assign(this, { timelines, matches: [], at: -1 });
    this.query = el("input", { type: "search", placeholder: "Find: backward 3 rank 2", "aria-label": "Find events by words and numbers", size: 22,
      input: () => this.search(), keydown: (event) => { if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1); } });
    this.hits = el("output", {});
  }

  element(button) {
    return el("span", { class: "search" }, this.query, button("↑", "Previous event found", () => this.go(-1)),
              button("↓", "Next event found", () => this.go(1)), this.hits);
  }

  search() {
    const text = this.query.value;
    this.matches = found(this.timelines.data, this.timelines.tracks, text);
    this.at = -1;
    this.hits.textContent = text.trim() === "" ? "" : counted(this.matches.length, "event");
    this.timelines.draw();
  }

  go(step) {
    const count = this.matches.length;
    if (count === 0) return;
    this.at = this.at < 0 && step < 0 ? count - 1 : (this.at + step + count) % count;
    this.hits.textContent = `${this.at + 1} of ${counted(count, "event")}`;
    const { track, place } = this.matches[this.at];
    this.timelines.show(track, place);
  }

  // The events found that are in view, unless they are too many to mark.
  inView(track, view) {
    if (this.matches.length > MOST_OUTLINED) return [];
    const { start, end } = track.columns;
    return this.matches.filter(({ track: of, place }) => of === track && end[place] > view.from && start[place] < view.to).map(({ place }) => place);
  }
}
