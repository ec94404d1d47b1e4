// An area of a timeline that the reader marks, by dragging or by key, and its sums.

import { LAST_TICK } from "./columns.js";
import { colour, el } from "./dom.js";
import { areaOf, sumsTable } from "./sums.js";

export class Area {
  constructor(timelines) {
    Object.assign(this, { timelines, selecting: false, open: false, justMade: false, track: null, bounds: null });
    this.element = el("div", { class: "sums", "aria-live": "polite" });
  }

  // A drag marks an area with Shift, or while the box is ticked. Other drags pan.
  isMarkedBy(event) {
    return this.selecting || event.shiftKey;
  }

  begin(event, track) {
    this.justMade = false;
    if (event.button !== 0 || !this.isMarkedBy(event)) return;
    event.target.setPointerCapture(event.pointerId);
    Object.assign(this, { track, open: true, begun: [event.offsetX, event.offsetY], bounds: null });
  }

  widen(event) {
    const { gutter, row, data } = this.timelines, scale = this.timelines.scale();
    const ticksAt = (x) => scale.invert(Math.max(gutter, x)) / data.span_s * LAST_TICK;
    this.bounds = areaOf(this.begun, [event.offsetX, event.offsetY], { ticksAt, row, rows: data.ranks.length });
    this.timelines.draw();
  }

  end() {
    if (!this.open) return;
    Object.assign(this, { open: false, justMade: this.bounds !== null });
    this.element.replaceChildren(...(this.bounds ? sumsTable(this.timelines.data, this.track, this.bounds) : []));
    this.timelines.draw();
  }

  // Sums of what is in view, over all ranks.
  sumView(track) {
    const { data } = this.timelines;
    const [from, to] = this.timelines.scale().domain().map((seconds) => Math.min(track.endTick, Math.max(0, seconds / data.span_s * LAST_TICK)));
    Object.assign(this, { track, open: true, bounds: { from, to, rows: [0, data.ranks.length - 1] } });
    this.end();
    this.justMade = false;
  }

  clear() {
    Object.assign(this, { track: null, bounds: null });
    this.element.replaceChildren();
  }

  // `x` turns ticks into pixels.
  draw(pen, track, x) {
    if (this.track !== track || !this.bounds) return;
    const { from, to, rows } = this.bounds, row = this.timelines.row;
    const box = [x(from), rows[0] * row, x(to) - x(from), (rows[1] - rows[0] + 1) * row - 1];
    pen.globalAlpha = 0.14;
    pen.fillStyle = colour("ink");
    pen.fillRect(...box);
    pen.globalAlpha = 1;
    pen.lineWidth = 1;
    pen.strokeStyle = colour("ink");
    pen.strokeRect(...box);
  }
}
