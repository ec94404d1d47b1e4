// The timelines of a run, one below the other on one time axis. The reader can zoom, pan, point and use the keyboard.

import { scaleLinear } from "d3-scale";
import { select, event as zoomed } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { interpolateRgbBasis } from "d3-interpolate";

import { Area } from "./area.js";
import { drawAxis } from "./axis.js";
import { LAST_TICK, timelineOf, column } from "./columns.js";
import { differencesOf, isOnAnotherRank } from "./differences.js";
import { colour, drawnInto, el } from "./dom.js";
import { described, rowOf, secondsAt } from "./event_words.js";
import { Finder } from "./finder.js";
import { Keyboard, keysElement } from "./keyboard.js";
import { swatch } from "./looks.js";
import { drawDifferences, drawNumbers, drawPath, drawTransfers } from "./pen.js";
import { Pointer } from "./pointer.js";
import { packed, paintMemory, paintTimeline } from "./raster.js";
import { bytes, duration, whole } from "./words.js";

const slug = (name) => name.replaceAll(" ", "-");

// `data.differs` marks in the first schedule what differs from the second.
export class Timelines {
  constructor(data, report) {
    this.transform = zoomIdentity;
    this.critical = true;
    this.memory = false;
    this.differences = true;
    this.hold(data, report);
    this.area = new Area(this);
    this.finder = new Finder(this);
    this.pointer = new Pointer(this);
    this.keyboard = new Keyboard(this);
    this.element = this.build();
    drawnInto(this.stage, (width) => this.resize(width));
    for (const moved of ["scroll", "resize"]) addEventListener(moved, () => this.draw(), { passive: true });
    addEventListener("beforeprint", () => this.draw(true));
  }

  hold(data, report) {
    this.data = data;
    this.span = data.span_s;
    this.activities = data.activities;
    const trace = data.measured && this.track(data.measured, { name: "measured", schedule: data.measured.name, memory_limit_bytes: null });
    const simulated = data.schedules.map((drawn, i) => this.track(drawn, report.schedules[i]));
    this.tracks = trace ? [trace, ...simulated] : simulated;
    this.rowOfRank = new Map(data.ranks.map((rank, row) => [rank, row]));
    if (data.differs) this.compare(...simulated);
  }

  // Shows another run in the same place, and keeps the visible part of the step.
  take(data, report) {
    this.hold(data, report);
    this.bar.replaceWith(this.bar = this.toolbar());
    this.showLegend();
    this.detail.replaceChildren();
    this.area.clear();
    this.finder.search();
    this.pointer.tip.hidden = true;
    this.stage.replaceChildren(this.axis, ...this.tracks.map((track) => this.trackElement(track)), this.pointer.tip);
    if (this.transform.k > 1) return this.resize(this.width);
    const width = this.width;
    this.width = 0;
    this.transform = zoomIdentity;
    this.resize(width);
  }

  track(drawn, schedule) {
    const endTick = Math.min(LAST_TICK, drawn.end_s / this.span * LAST_TICK);
    const held = drawn.memory && column(drawn.memory.held);
    return { drawn, schedule, name: schedule.name, endTick, held, columns: timelineOf(drawn, this.activities) };
  }

  compare(found, named) {
    const places = differencesOf(this.data, found, named);
    if (!places) return;
    const moved = new Set([...places].filter(([place, before]) => isOnAnotherRank(found, named, place, before)).map(([place]) => place));
    found.differs = { named, places, moved };
  }

  // --- elements of the page

  build() {
    this.axis = el("div", { class: "axis" });
    this.detail = el("div", { class: "detail", "aria-live": "polite" });
    this.stage = el("div", { class: "stage" }, this.axis, this.tracks.map((track) => this.trackElement(track)), this.pointer.tip);
    return el("div", { class: "timelines" }, this.bar = this.toolbar(), this.swatches = this.legend(), this.area.element, this.stage, this.detail, keysElement());
  }

  trackElement(track) {
    track.canvas = el("canvas", {
      tabindex: 0, role: "application", "aria-describedby": "timeline-keys",
      "aria-label": `Timeline of ${track.schedule.name}: ${this.data.ranks.length} ranks over ${duration(track.drawn.end_s)}`,
      keydown: (event) => this.keyboard.press(event, track),
      pointerdown: (event) => this.area.begin(event, track),
      pointermove: (event) => (this.area.open ? this.area.widen(event) : this.pointer.point(event, track)),
      pointerup: () => this.area.end(),
      pointerleave: () => this.pointer.leave(),
      click: (event) => { if (!this.area.justMade) this.choose(track, this.pointer.eventAt(event, track)); },
      focus: () => this.draw(), blur: () => this.draw(),
    });
    track.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    return el("figure", { class: "track" },
              el("figcaption", {}, el("b", {}, track.name), this.data.measured ? track === this.tracks[0] ? ": " : ", simulated: " : " ", track.schedule.schedule, ", ",
                 duration(track.drawn.end_s), this.notes(track)),
              track.canvas);
  }

  notes(track) {
    const thinned = track.columns.thinned;
    return thinned && el("span", { class: "note" },
      ` · ${whole(thinned.events)} events are too many to draw. The picture shows ${whole(thinned.slices)} slices of time, each with the activity that ` +
      "fills most of it");
  }

  toolbar() {
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, click: act }, text);
    const toggle = (text, name, of = this) => el("label", {}, el("input", {
      type: "checkbox", checked: of[name],
      change: (event) => { of[name] = event.target.checked; this.showLegend(); this.draw(); },
    }), text);
    return el("div", { class: "toolbar" },
              button("+", "Zoom in", () => this.zoomBy(2)), button("−", "Zoom out", () => this.zoomBy(0.5)),
              button("‹", "Earlier", () => this.panBy(0.5)), button("›", "Later", () => this.panBy(-0.5)),
              button("Whole step", "Show the whole step", () => this.moveTo(zoomIdentity)),
              this.hasPath() && toggle("critical path", "critical"),
              this.tracks.some((track) => track.held) && toggle("memory held", "memory"),
              this.tracks.filter((track) => track.differs).map(({ differs }) => toggle(`what differs from ${differs.named.name}`, "differences")),
              toggle("select an area", "selecting", this.area), this.finder.element(button));
  }

  hasPath() {
    return this.tracks.some((track) => this.pathOf(track).length > 0);
  }

  showLegend() {
    this.swatches.replaceWith(this.swatches = this.legend());
  }

  legend() {
    return el("ul", { class: "legend" }, this.memory ? this.legendOfMemory() : this.legendOfActivities(),
              this.hasPath() && el("li", {}, el("i", { class: "path" }), "critical path"),
              !this.memory && this.tracks.filter((track) => track.differs).map((track) => this.legendOfDifferences(track)));
  }

  legendOfMemory() {
    const limit = this.tracks[0].schedule.memory_limit_bytes, most = this.mostHeld();
    return [el("li", {}, el("i", { class: "ramp" }), `0 B to ${bytes(most)} held`),
            limit !== null && most > limit && el("li", {}, swatch("bad"), `beyond the limit, ${bytes(limit)}`)];
  }

  legendOfActivities() {
    const present = new Set();
    for (const { columns } of this.tracks) for (const activity of columns.activity) present.add(activity);
    const entry = (look, text) => el("li", {}, swatch(look), text);
    return [[...present].sort((a, b) => a - b).map((a) => entry(slug(this.activities[a]), this.activities[a])), entry("idle", "idle")];
  }

  legendOfDifferences({ differs: { places, moved } }) {
    const entry = (mark, count, words) => count > 0 && el("li", {}, el("i", { class: mark }), el("b", {}, whole(count)), " " + words);
    return [entry("roof", places.size - moved.size, "changed place"), entry("box", moved.size, "on another rank")];
  }

  // --- drawing

  resize(width) {
    const domain = this.width ? this.scale().domain() : null;
    this.width = width;
    this.gutter = width < 600 ? 26 : 40;
    const ranks = this.data.ranks.length;
    this.row = ranks <= 20 ? 20 : ranks <= 40 ? 14 : ranks <= 80 ? 10 : ranks <= 128 ? 6 : 4;
    for (const track of this.tracks) this.size(track);
    this.base = scaleLinear().domain([0, this.span]).range([this.gutter, width]);
    const extent = [[this.gutter, 0], [width, 1]];
    this.zoom = zoom().scaleExtent([1, 1e6]).extent(extent).translateExtent(extent)
      .filter(() => !zoomed.button && !this.area.isMarkedBy(zoomed) && (zoomed.type !== "wheel" || zoomed.ctrlKey || zoomed.metaKey))
      .on("zoom", () => this.follow(zoomed.transform));
    for (const track of this.tracks) select(track.canvas).call(this.zoom).style("touch-action", "pan-y").on("dblclick.zoom", null);
    if (domain) {
      const k = this.span / (domain[1] - domain[0]);
      this.transform = zoomIdentity.translate(this.gutter - k * this.base(domain[0]), 0).scale(k);
    }
    this.follow(this.transform);
  }

  size(track) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const height = this.row * this.data.ranks.length;
    Object.assign(track.canvas, { width: Math.round(this.width * ratio), height: Math.round(height * ratio) });
    track.canvas.style.height = height + "px";
    this.ratio = ratio;
  }

  scale() {
    return this.transform.rescaleX(this.base);
  }

  follow(transform) {
    this.transform = transform;
    for (const track of this.tracks) track.canvas.__zoom = transform;
    this.draw();
  }

  draw(now = false) {
    if (now) return this.drawAll(true);
    if (this.pending || !this.width) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.drawAll(false);
    });
  }

  drawAll(unseen) {
    drawAxis(this.axis, this.scale(), this.width);
    const [from, to] = this.scale().domain().map((seconds) => seconds / this.span * LAST_TICK);
    for (const track of this.tracks) {
      const box = track.canvas.getBoundingClientRect();
      if (unseen || (box.bottom > -200 && box.top < innerHeight + 200)) this.drawTrack(track, { from, to });
    }
  }

  drawTrack(track, view) {
    const pen = track.canvas.getContext("2d");
    const left = Math.round(this.gutter * this.ratio);
    const width = track.canvas.width - left;
    const row = Math.round(this.row * this.ratio), gap = row >= 8 ? Math.round(this.ratio) : 0;
    const beside = Math.max(1, Math.round(row * 0.2));
    const shape = { width, row, band: row - beside - gap, beside, gap: Math.round(this.ratio) };
    pen.clearRect(0, 0, track.canvas.width, track.canvas.height);
    const picture = pen.createImageData(width, track.canvas.height);
    const image = new Uint32Array(picture.data.buffer);
    if (this.memory && track.held)
      paintMemory(image, track.held, track.drawn.memory.slices, view, shape, this.ramp(track), track.endTick);
    else
      paintTimeline(image, track.columns, view, shape, this.paint(), track.endTick);
    pen.putImageData(picture, left, 0);
    pen.save();
    pen.scale(this.ratio, this.ratio);
    this.drawRanks(pen);
    pen.beginPath();
    pen.rect(this.gutter, 0, this.width - this.gutter, this.row * this.data.ranks.length);
    pen.clip();
    this.drawEvents(pen, track, view);
    this.outline(pen, track, track.pointed, 1);
    this.outline(pen, track, track.chosen, 2);
    this.area.draw(pen, track, (tick) => this.x(tick, view));
    pen.restore();
  }

  drawEvents(pen, track, view) {
    const place = { x: (tick) => this.x(tick, view), row: this.row, from: this.gutter, to: this.width, view, rowOfRank: this.rowOfRank };
    if (!this.memory) drawTransfers(pen, track, this.activities.indexOf("transfer"), place);
    if (this.critical) drawPath(pen, track, this.pathOf(track), place);
    if (!this.memory) drawNumbers(pen, track, this.paintOf, place);
    if (this.differences && !this.memory) drawDifferences(pen, track, place);
    for (const place of this.finder.inView(track, view)) this.outline(pen, track, place, 1.5);
  }

  // Colours are read once for all tracks of a drawing.
  paint() {
    this.paintOf = this.activities.map((name) => ({ fill: colour(slug(name)), ink: colour("on-" + slug(name)) || colour("on-event") }));
    return { colours: this.activities.map((name) => packed(colour(slug(name)))), idle: packed(colour("idle")),
             ground: packed(colour("ground")) };
  }

  mostHeld() {
    return Math.max(0, ...this.tracks.map((track) => track.drawn.memory?.most_bytes ?? 0));
  }

  // One shade is one number of bytes in all schedules.
  ramp(track) {
    const limit = track.schedule.memory_limit_bytes;
    const shade = interpolateRgbBasis([colour("idle"), colour("memory-middle"), colour("memory-most")]), most = this.mostHeld() || 1;
    return Array.from({ length: 256 }, (_, i) => {
      const held = i / 255 * track.drawn.memory.most_bytes;
      return packed(limit !== null && held > limit ? colour("bad") : shade(held / most));
    });
  }

  drawRanks(pen) {
    const every = Math.max(1, Math.ceil(11 / this.row));
    pen.fillStyle = colour("muted");
    pen.font = `${Math.min(11, Math.max(9, this.row - 4))}px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    this.data.ranks.forEach((rank, i) => {
      if (i % every === 0) pen.fillText(String(rank), this.gutter - 6, (i + 0.5) * this.row);
    });
  }

  x(tick, view) {
    return this.gutter + (tick - view.from) / (view.to - view.from) * (this.width - this.gutter);
  }

  // Returns the critical path, sorted by start. Events of other replicas are in the row of their own rank.
  pathOf(track) {
    if (!track.path && track.columns.critical) {
      const { critical, start } = track.columns;
      track.path = [];
      critical.forEach((on, place) => { if (on) track.path.push(place); });
      track.path.sort((a, b) => start[a] - start[b] || a - b);
    }
    return track.path ?? [];
  }

  outline(pen, track, place, width) {
    if (place === undefined || place === null) return;
    const [from, to] = this.scale().domain().map((seconds) => seconds / this.span * LAST_TICK);
    const { start, end, beside } = track.columns;
    const left = this.x(start[place], { from, to }), right = this.x(end[place], { from, to });
    const high = this.row * 0.2, top = rowOf(track, place) * this.row + (beside[place] ? this.row - high : 0);
    pen.strokeStyle = colour("ink");
    pen.lineWidth = width;
    pen.strokeRect(left, top, Math.max(2, right - left), beside[place] ? high : this.row - high);
  }

  // --- moving

  seconds(tick) {
    return secondsAt(this.data, tick);
  }

  moveTo(transform) {
    select(this.tracks[0].canvas).call(this.zoom.transform, transform);
  }

  zoomBy(factor) {
    const chosen = this.tracks.find((track) => track.chosen !== undefined);
    const middle = chosen ? this.scale()(this.seconds(chosen.columns.start[chosen.chosen])) : (this.gutter + this.width) / 2;
    select(this.tracks[0].canvas).call(this.zoom.scaleBy, factor, [Math.min(this.width, Math.max(this.gutter, middle)), 0]);
  }

  panBy(share) {
    select(this.tracks[0].canvas).call(this.zoom.translateBy, share * (this.width - this.gutter) / this.transform.k, 0);
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey || Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    select(this.tracks[0].canvas).call(this.zoom.translateBy, -event.deltaX / this.transform.k, 0);
  }

  clear(track) {
    this.area.clear();
    this.choose(track, undefined);
  }

  choose(track, place) {
    for (const other of this.tracks) other.chosen = undefined;
    track.chosen = place;
    this.detail.replaceChildren(...(place === undefined ? [] : described(this.data, track, place)));
    if (place !== undefined) this.reveal(track, place);
    this.draw();
  }

  // Zooms in until the event is wide enough to be seen, and chooses it.
  show(track, place) {
    const width = (track.columns.end[place] - track.columns.start[place]) / LAST_TICK * this.transform.k * (this.width - this.gutter);
    if (width < 14) select(track.canvas).call(this.zoom.scaleBy, 40 / Math.max(width, 1e-4), [(this.gutter + this.width) / 2, 0]);
    this.choose(track, place);
    track.canvas.scrollIntoView({ block: "nearest" });
  }

  // Pans if the event is not entirely in view.
  reveal(track, place) {
    const [from, to] = this.scale().domain();
    const start = this.seconds(track.columns.start[place]), end = this.seconds(track.columns.end[place]);
    if (start >= from && end <= to) return;
    select(this.tracks[0].canvas).call(this.zoom.translateTo, this.base((start + end) / 2), 0);
  }
}
