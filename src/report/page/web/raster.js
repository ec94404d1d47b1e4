// Draws rows of events as pixels. Every event counts; none is dropped. If events are narrower than a few pixels, a
// column of pixels shows, from the bottom up, the share of its time that each activity takes. A column in which a wide event
// begins or ends has a mixed colour. A picture takes time for rows x width pixels and one pass over the events in view.

import { above } from "./columns.js";

// Converts a CSS colour, "#rrggbb" or "rgb(r, g, b)", to the 32 bits of ImageData on a little-endian machine.
export function packed(css) {
  const [r, g, b] = css.startsWith("#") ? [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16))
    : css.match(/\d+/g).map(Number);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

// For each column of pixels: the share that each kind of event covers, and whether it has no, wide or narrow events.
const EMPTY = 0, WIDE = 1, NARROW = 2;
const FEW = 3;  // the least width of a wide event, in pixels
class Band {
  constructor(width, kinds) {
    Object.assign(this, { width, kinds, shares: new Float32Array(width * kinds), holds: new Uint8Array(width) });
  }

  clear() {
    this.shares.fill(0);
    this.holds.fill(EMPTY);
  }

  add(kind, from, to) {
    const last = Math.min(this.width, Math.ceil(to)), size = to - from < FEW ? NARROW : WIDE;
    for (let x = Math.max(0, Math.floor(from)); x < last; ++x) {
      this.shares[x * this.kinds + kind] += Math.min(to, x + 1) - Math.max(from, x);
      if (this.holds[x] < size) this.holds[x] = size;
    }
  }
}

function mixed(shares, at, colours, ground) {
  let red = 0, green = 0, blue = 0, left = 1;
  const add = (colour, share) => {
    red += (colour & 255) * share;
    green += (colour >> 8 & 255) * share;
    blue += (colour >> 16 & 255) * share;
  };
  for (let kind = 0; kind < colours.length; ++kind) {
    const share = Math.min(left, shares[at + kind]);
    if (share > 0) add(colours[kind], share);
    left -= share;
  }
  add(ground, left);
  return (255 << 24 | Math.round(blue) << 16 | Math.round(green) << 8 | Math.round(red)) >>> 0;
}

// `place`: { top, height, ground, idle, until }. A column without events is filled only if `idle` is set, and only
// before `until`.
function fillBand(image, band, colours, place) {
  const { width, kinds, shares, holds } = band;
  const { top, height, until } = place;
  for (let x = 0; x < width; ++x) {
    const bottom = (top + height - 1) * width + x;
    if (holds[x] === EMPTY) {
      if (place.idle && x < until) for (let y = 0; y < height; ++y) image[bottom - y * width] = place.ground;
      continue;
    }
    if (holds[x] === WIDE) {
      const colour = mixed(shares, x * kinds, colours, place.ground);
      for (let y = 0; y < height; ++y) image[bottom - y * width] = colour;
      continue;
    }
    let filled = 0, sum = 0;
    for (let kind = 0; kind < kinds; ++kind) {
      sum += shares[x * kinds + kind];
      for (const reach = Math.min(height, Math.round(sum * height)); filled < reach; ++filled)
        image[bottom - filled * width] = colours[kind];
    }
    for (; filled < height; ++filled) image[bottom - filled * width] = place.ground;
  }
}

// `view`: { from, to } in ticks. `shape`: { width, row, band, beside, gap } in pixels. `paint`: { colours by activity, idle, ground }.
export function paintTimeline(image, timeline, view, shape, paint, endTick) {
  const { width } = shape;
  const scale = width / (view.to - view.from);
  const until = (endTick - view.from) * scale;
  const computing = new Band(width, paint.colours.length), network = new Band(width, paint.colours.length);
  const { first, start, end, activity, beside, latest } = timeline;
  for (let row = 0; row + 1 < first.length; ++row) {
    computing.clear();
    network.clear();
    for (let i = above(latest, view.from, first[row], first[row + 1]); i < first[row + 1]; ++i) {
      const from = (start[i] - view.from) * scale;
      if (from >= width) break;
      let to = (end[i] - view.from) * scale;
      if (to - from > 6 * shape.gap) to -= shape.gap;  // separates neighbours of the same kind
      (beside[i] ? network : computing).add(activity[i], from, to);
    }
    const top = row * shape.row;
    fillBand(image, computing, paint.colours, { top, height: shape.band, ground: paint.idle, idle: true, until });
    fillBand(image, network, paint.colours, { top: top + shape.band, height: shape.beside, ground: paint.ground, idle: false, until });
  }
}

// Paints the memory of ranks, from light to dark. `held` is by row and slice, in 65535ths of the largest.
export function paintMemory(image, held, slices, view, shape, ramp, endTick) {
  const { width } = shape;
  const rows = held.length / slices;
  for (let x = 0; x < width; ++x) {
    const tick = view.from + (x + 0.5) / width * (view.to - view.from);
    if (tick < 0 || tick >= endTick) continue;
    const slice = Math.floor(tick / endTick * slices);
    for (let row = 0; row < rows; ++row) {
      const shade = ramp[Math.round(held[row * slices + slice] / 65535 * (ramp.length - 1))];
      for (let y = row * shape.row; y < row * shape.row + shape.band + shape.beside; ++y) image[y * width + x] = shade;
    }
  }
}
