// Timelines by keyboard: the way from event to event, and the view.

import { zoomIdentity } from "d3-zoom";

import { above } from "./columns.js";
import { el } from "./dom.js";
import { rowOf } from "./event_words.js";

const KEYS = [["drag, Shift with an arrow", "pan"], ["Ctrl with the wheel, two fingers, + and −", "zoom"], ["0", "the whole step"],
              ["Shift and drag", "sums over an area"], ["S", "sums over what is in view"], ["arrows", "the next event, the next rank"],
              ["C", "the next event of the critical path"], ["W", "the event that this one waited for"], ["/", "search"], ["Esc", "nothing chosen"]];

export function keysElement() {
  return el("details", { id: "timeline-keys" }, el("summary", {}, "Keys and gestures"),
    el("dl", { class: "keys" }, KEYS.map(([key, words]) => [el("dt", {}, key), el("dd", {}, words)])));
}

export class Keyboard {
  constructor(timelines) {
    this.timelines = timelines;
  }

  press(event, track) {
    const { timelines } = this;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], rows = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step && event.shiftKey) timelines.panBy(-0.25 * step);
    else if (step) this.walk(track, step);
    else if (rows) this.climb(track, rows);
    else if (event.key === "+" || event.key === "=") timelines.zoomBy(2);
    else if (event.key === "-" || event.key === "_") timelines.zoomBy(0.5);
    else if (event.key === "0" || event.key === "Home") timelines.moveTo(zoomIdentity);
    else if (event.key === "c" || event.key === "C") this.alongPath(track);
    else if (event.key === "w" || event.key === "W") this.toCause(track);
    else if (event.key === "s" || event.key === "S") timelines.area.sumView(track);
    else if (event.key === "/") timelines.finder.query.focus();
    else if (event.key === "Escape") timelines.clear(track);
    else return;
    event.preventDefault();
  }

  walk(track, step) {
    if (track.chosen === undefined) return this.timelines.choose(track, 0);
    const { first, beside } = track.columns;
    const row = rowOf(track, track.chosen);
    let next = track.chosen + step;
    while (next >= first[row] && next < first[row + 1] && beside[next] !== beside[track.chosen]) next += step;
    if (next >= first[row] && next < first[row + 1]) this.timelines.choose(track, next);
  }

  climb(track, rows) {
    if (track.chosen === undefined) return this.timelines.choose(track, 0);
    const { first, start } = track.columns;
    const row = rowOf(track, track.chosen) + rows;
    if (row < 0 || row + 1 >= first.length || first[row] === first[row + 1]) return;
    this.timelines.choose(track, Math.max(first[row], above(start, start[track.chosen], first[row], first[row + 1]) - 1));
  }

  alongPath(track) {
    const path = this.timelines.pathOf(track);
    if (path.length === 0) return;
    this.timelines.choose(track, path[(path.indexOf(track.chosen) + 1) % path.length]);
  }

  toCause(track) {
    const before = track.chosen === undefined ? 0 : track.columns.before?.[track.chosen] ?? 0;
    if (before > 0) this.timelines.choose(track, before - 1);
  }
}
