// Reads the columns that the program writes (src/report/page/column.h, src/report/run/drawn_timeline.h).

const ARRAYS = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array };

// Decodes { bits, base64 }, little-endian whole numbers.
export function column(coded) {
  const text = atob(coded.base64);
  const raw = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) raw[i] = text.charCodeAt(i);
  return new ARRAYS[coded.bits](raw.buffer);
}

export const LAST_TICK = 4294967295;  // the end of the longest step

// Returns, for each event of a row, the latest end of the events up to it. Searches for running events use it.
function latestEnds(first, end) {
  const latest = new Uint32Array(end.length);
  for (let row = 0; row + 1 < first.length; ++row) {
    let most = 0;
    for (let i = first[row]; i < first[row + 1]; ++i) latest[i] = most = Math.max(most, end[i]);
  }
  return latest;
}

// Returns a schedule's timeline as columns with one value for each event, sorted by rank.
export function timelineOf(drawn, activities) {
  const coded = drawn.timeline;
  const columns = { first: coded.first, thinned: coded.thinned ?? null };
  for (const [name, value] of Object.entries(coded)) if (value.base64 !== undefined) columns[name] = column(value);
  const network = new Set(["reduce", "broadcast", "bookkeeping"]);
  if (!drawn.blocking) network.add("transfer");
  const isNetwork = activities.map((name) => (network.has(name) ? 1 : 0));
  columns.beside = columns.activity.map((activity) => isNetwork[activity]);  // 1: drawn beside the rank's computing
  columns.latest = latestEnds(columns.first, columns.end);
  return columns;
}

// Returns the first place in [from, to) where the ascending values exceed `limit`, or `to`.
export function above(values, limit, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}
