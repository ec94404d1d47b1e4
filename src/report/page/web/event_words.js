// Events of a timeline in words. `data` has the names that all its tracks share.

import { above, LAST_TICK } from "./columns.js";
import { el } from "./dom.js";
import { duration } from "./words.js";

export const secondsAt = (data, tick) => tick / LAST_TICK * data.span_s;

export function rowOf(track, place) {
  return above(track.columns.first, place, 0, track.columns.first.length) - 1;
}

function stageText(track, stage) {
  const [region, index] = track.drawn.stages[stage];
  return index === null ? region : `${region} stage ${index}`;
}

function microbatchText(track, number) {
  const sampled = track.drawn.sampled_as?.[number - 1];
  return `microbatch ${number}` + (sampled && sampled !== number ? ` (sampled as ${sampled})` : "");
}

// "forward of microbatch 3, llm stage 2, rank 2"
export function eventText(data, track, place) {
  const c = track.columns;
  const what = data.activities[c.activity[place]], rank = data.ranks[rowOf(track, place)];
  if (!c.stage) return `mostly ${what}, rank ${rank}`;
  const where = stageText(track, c.stage[place]);
  if (what === "reduce") return `${what} of gradients, ${where}, rank ${rank}`;
  if (what === "broadcast") return `${what} of parameters, ${where}, rank ${rank}`;
  const of = microbatchText(track, c.microbatch[place]);
  if (what === "transfer")
    return `transfer of ${of}, ${where} to ${stageText(track, c.other_stage[place])}, rank ${rank} to ${c.other_rank[place]}`;
  if (what === "forward and backward together")
    return `forward of ${of}, ${where}, with backward of ${microbatchText(track, c.other_microbatch[place])}, ` +
      `${stageText(track, c.other_stage[place])}, rank ${rank}`;
  return `${what} of ${of}, ${where}, rank ${rank}`;
}

function differenceText(data, track, place) {
  const { named, places, moved } = track.differs, before = places.get(place);
  if (before === undefined) return `${named.name} has no such pass`;
  const when = duration(secondsAt(data, named.columns.start[before]));
  return moved.has(place) ? `in ${named.name} rank ${data.ranks[rowOf(named, before)]} runs it, from ${when} on`
                          : `changed place: in ${named.name} it begins at ${when}`;
}

// Returns the lines that describe an event: what it is, when, what it waited for, and whether it is critical.
export function described(data, track, place) {
  const c = track.columns;
  const start = secondsAt(data, c.start[place]), end = secondsAt(data, c.end[place]);
  const lines = [el("b", {}, eventText(data, track, place)),
                 el("p", {}, `${duration(start)} to ${duration(end)}: ${duration(end - start)}`)];
  const before = c.before?.[place] ?? 0;
  if (before > 0 && before - 1 < c.start.length)
    lines.push(el("p", {}, `waited for the ${eventText(data, track, before - 1)}, which ended at ` + duration(secondsAt(data, c.end[before - 1]))));
  else if (c.before) lines.push(el("p", {}, "waited for nothing shown here"));
  if (track.differs?.places.has(place)) lines.push(el("p", {}, differenceText(data, track, place)));
  if (c.critical?.[place] === 1) lines.push(el("p", { class: "on-path" }, "on the critical path"));
  if (c.critical?.[place] === 2) lines.push(el("p", { class: "on-path" }, "on the critical path, which here runs through another replica"));
  return lines;
}
