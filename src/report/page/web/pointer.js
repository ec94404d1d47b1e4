// The event under the mouse, and the box that describes it.

import { above, LAST_TICK } from "./columns.js";
import { el } from "./dom.js";
import { described } from "./event_words.js";
import { bytes, duration } from "./words.js";

const NEAR = 3;  // pixels within which an event is pointed at

export class Pointer {
  constructor(timelines) {
    this.timelines = timelines;
    this.tip = el("div", { class: "tip", hidden: true });
  }

  // Returns the place of the event at the mouse, or undefined.
  eventAt(event, track) {
    const { gutter, row: high, data } = this.timelines, scale = this.timelines.scale();
    const x = event.offsetX, y = event.offsetY;
    if (x < gutter) return undefined;
    const { first, start, end, beside, latest } = track.columns;
    const row = Math.min(first.length - 2, Math.max(0, Math.floor(y / high)));
    const below = y - row * high > high * 0.78 ? 1 : 0;
    const ticks = (at) => scale.invert(at) / data.span_s * LAST_TICK;
    const tick = ticks(x), from = ticks(x - NEAR), to = ticks(x + NEAR);
    let best, least = Infinity;
    for (let i = above(latest, from, first[row], first[row + 1]); i < first[row + 1] && start[i] <= to; ++i) {
      const far = Math.max(0, start[i] - tick, tick - end[i]) + (beside[i] === below ? 0 : to - from);
      if (end[i] >= from && far < least) [best, least] = [i, far];
    }
    return best;
  }

  point(event, track) {
    const { timelines, tip } = this, memory = timelines.memory && track.held;
    const place = this.eventAt(event, track);
    for (const other of timelines.tracks) other.pointed = undefined;
    track.pointed = place;
    tip.hidden = place === undefined && !memory;
    if (!tip.hidden) {
      tip.replaceChildren(...(memory ? this.heldAt(event, track) : described(timelines.data, track, place)));
      const box = timelines.stage.getBoundingClientRect(), wide = tip.offsetWidth;
      tip.style.left = Math.max(0, Math.min(box.width - wide, event.clientX - box.left + 14)) + "px";
      tip.style.top = event.clientY - box.top + 18 + "px";
    }
    timelines.draw();
  }

  leave() {
    for (const track of this.timelines.tracks) track.pointed = undefined;
    this.tip.hidden = true;
    this.timelines.draw();
  }

  heldAt(event, track) {
    const { data, row: high } = this.timelines, { slices, most_bytes } = track.drawn.memory;
    const row = Math.min(data.ranks.length - 1, Math.max(0, Math.floor(event.offsetY / high)));
    const at = this.timelines.scale().invert(event.offsetX);
    const slice = Math.min(slices - 1, Math.max(0, Math.floor(at / track.drawn.end_s * slices)));
    return [el("b", {}, `rank ${data.ranks[row]} holds ${bytes(track.held[row * slices + slice] / 65535 * most_bytes)}`),
            el("p", {}, `at ${duration(Math.max(0, at))}`)];
  }
}
