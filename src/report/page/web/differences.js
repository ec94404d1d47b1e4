// How a schedule differs from another that has the same passes: which of them another rank runs, and which changed place.
// A pass of the pipeline changed place if it is not among the most passes whose order on their rank stayed the same, so
// these are the fewest whose moves turn one order into the other. Cost: n log n of a rank's passes.

import { rowOf } from "./event_words.js";

const NETWORK = new Set(["transfer", "reduce", "broadcast", "bookkeeping"]);

// By row: the places of its computing events and, with them, what names a pass. Stages of a rank are named by their turn on
// it, since schedules number the same stages in other ways. An encode is a pass of a transposed region, whatever its rank.
function passesOf(data, track) {
  const c = track.columns, network = data.activities.map((name) => NETWORK.has(name)), rows = [];
  const together = (i) => (data.activities[c.activity[i]].includes("together") ? c.other_microbatch[i] : 0);
  for (let row = 0; row + 1 < c.first.length; ++row) {
    const places = [];
    for (let i = c.first[row]; i < c.first[row + 1]; ++i) if (!network[c.activity[i]]) places.push(i);
    const stages = [...new Set(places.map((i) => c.stage[i]))].sort((one, other) => one - other);
    rows.push(places.map((place) => {
      const [region, index] = track.drawn.stages[c.stage[place]], encodes = index === null;
      const where = encodes ? region : `${row} ${stages.filter((stage) => track.drawn.stages[stage][1] !== null).indexOf(c.stage[place])}`;
      return { place, encodes, name: [c.activity[place], where, c.microbatch[place], together(place)].join() };
    }));
  }
  return rows;
}

// Returns the set of the indices of a longest ascending part of `values`, which differ (C. Schensted 1961).
export function longestAscending(values) {
  const ends = [], before = [];  // ends[n]: the index where the best part of n + 1 values ends
  values.forEach((value, i) => {
    let from = 0, to = ends.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (values[ends[middle]] < value) from = middle + 1;
      else to = middle;
    }
    before[i] = from > 0 ? ends[from - 1] : -1;
    ends[from] = i;
  });
  const kept = new Set();
  for (let i = ends.length > 0 ? ends.at(-1) : -1; i >= 0; i = before[i]) kept.add(i);
  return kept;
}

// Returns a map from the place of each pass that differs in `found` to its place in `named`, which is undefined if it has no
// such pass. Encodes, passes of a transposed region, differ by their rank alone. Timelines of slices have no passes: null.
export function differencesOf(data, found, named) {
  if (!found.columns.stage || !named.columns.stage) return null;
  const was = new Map(), differ = new Map();
  passesOf(data, named).forEach((row, rank) => row.forEach(({ place, name }, at) => was.set(name, { place, rank, at })));
  passesOf(data, found).forEach((row, rank) => {
    const here = row.filter(({ name, encodes }) => was.has(name) && !encodes);
    const kept = longestAscending(here.map(({ name }) => was.get(name).at)), stays = new Set(here.filter((_, i) => kept.has(i)));
    for (const pass of row)
      if (pass.encodes ? was.get(pass.name)?.rank !== rank : !stays.has(pass)) differ.set(pass.place, was.get(pass.name)?.place);
  });
  return differ;
}

export function isOnAnotherRank(found, named, place, before) {
  return before === undefined || rowOf(found, place) !== rowOf(named, before);
}
