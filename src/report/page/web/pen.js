// What is drawn over a timeline's pixels: transfers between ranks, the critical path, and numbers, which come last so
// that nothing covers them. `place` has x (ticks to pixels), row (its height), from and to (the drawing's ends), view, rowOfRank.

import { above } from "./columns.js";
import { colour } from "./dom.js";
import { rowOf } from "./event_words.js";

const BAND = 0.76;  // of a row: what it computes; the network is below
const MOST_TRANSFERS = 400;  // more in view would hide what lies under them

function* inView({ columns }, view) {
  const { first, start, latest } = columns;
  for (let row = 0; row + 1 < first.length; ++row)
    for (let i = above(latest, view.from, first[row], first[row + 1]); i < first[row + 1] && start[i] < view.to; ++i) yield [row, i];
}

// Returns the transfers in view as lines from the rank that sends to the one that receives; none if there are too many.
function transfersInView(track, transfer, { x, row, view, rowOfRank }) {
  const { start, end, activity, other_rank } = track.columns, lines = [];
  for (const [from, i] of inView(track, view)) {
    const to = activity[i] === transfer ? rowOfRank.get(other_rank[i]) : undefined;
    if (to === undefined || to === from) continue;
    const down = to > from;
    lines.push([x(start[i]), (from + (down ? BAND : 0)) * row, x(end[i]), (to + (down ? 0 : BAND)) * row]);
    if (lines.length > MOST_TRANSFERS) return [];
  }
  return lines;
}

export function drawTransfers(pen, track, transfer, place) {
  if (!track.columns.other_rank || place.row < 10) return;
  const lines = transfersInView(track, transfer, place);
  pen.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    const head = Math.sign(y1 - y0) * 4;
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.moveTo(x1 - 2.5, y1 - head);
    pen.lineTo(x1, y1);
    pen.lineTo(x1 + 2.5, y1 - head);
  }
  for (const [width, ink] of [[3, "halo"], [1.2, "transfer"]]) {
    pen.lineWidth = width;
    pen.strokeStyle = colour(ink);
    pen.stroke();
  }
}

// The path runs along the foot of its events.
export function drawPath(pen, track, path, { x, row, to: right }) {
  const { start, end } = track.columns;
  pen.beginPath();
  let last = null;
  for (const place of path) {
    const y = (rowOf(track, place) + BAND - 0.04) * row;
    const from = x(start[place]), to = x(end[place]);
    if (last !== null && Math.min(from, last) < right + 50 && to > -50) pen.lineTo(from, y);
    else pen.moveTo(from, y);
    pen.lineTo(to, y);
    last = to;
  }
  pen.lineJoin = "round";
  for (const [width, ink] of [[3.5, "halo"], [1.5, "ink"]]) {
    pen.lineWidth = width;
    pen.strokeStyle = colour(ink);
    pen.stroke();
  }
}

// A pass that changed place has a bar along its top, one that another rank runs a box.
export function drawDifferences(pen, track, { x, row, view }) {
  if (!track.differs) return;
  const { start, end } = track.columns, { places, moved } = track.differs;
  pen.fillStyle = pen.strokeStyle = colour("ink");
  pen.lineWidth = 1.5;
  for (const [r, i] of inView(track, view)) {
    if (!places.has(i)) continue;
    const left = x(start[i]), width = Math.max(0.5, x(end[i]) - left);
    if (moved.has(i)) pen.strokeRect(left + 0.75, r * row + 0.75, Math.max(0.5, width - 1.5), row * BAND - 1.5);
    else pen.fillRect(left, r * row, width, 2);
  }
}

// Draws the numbers of microbatches on events that are wide enough, with the event's colour around them.
export function drawNumbers(pen, track, paint, { x, row, from: left, to: right, view }) {
  const { start, end, beside, microbatch, activity } = track.columns;
  if (!microbatch || row < 12) return;
  pen.font = `10px ${getComputedStyle(document.body).fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 3;
  for (const [r, i] of inView(track, view)) {
    const from = Math.max(left, x(start[i])), to = Math.min(right, x(end[i]));
    if (beside[i] || to - from < 16) continue;
    const at = [(from + to) / 2, (r + BAND / 2) * row];
    pen.strokeStyle = paint[activity[i]].fill;
    pen.strokeText(String(microbatch[i]), ...at);
    pen.fillStyle = paint[activity[i]].ink;
    pen.fillText(String(microbatch[i]), ...at);
  }
}
