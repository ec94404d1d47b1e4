// Finds events by words and numbers: "backward 3 rank 2", "transfer stage 1", "critical m7", "moved".

import { rowOf } from "./event_words.js";

const KEYS = { rank: "rank", r: "rank", stage: "stage", s: "stage", microbatch: "microbatch", mb: "microbatch", m: "microbatch" };

// Returns { rank, stage, microbatch, critical, moved, words }. A number alone is a microbatch.
export function queryOf(text) {
  const query = { critical: false, moved: false, words: [] };
  const numbered = text.toLowerCase().replace(/\b(?:(rank|r|stage|s|microbatch|mb|m)\s*)?(\d+)\b/g, (_, key, number) => {
    query[KEYS[key] ?? "microbatch"] = Number(number);
    return " ";
  });
  for (const word of numbered.split(/[\s,]+/).filter(Boolean))
    if (word === "critical" || word === "moved") query[word] = true;
    else query.words.push(word);
  return query;
}

// The words of an event are its activity, its stage's region and its schedule. Few pairs of these exist.
function hasWords(data, track, words) {
  const known = new Map();
  return (place) => {
    const activity = track.columns.activity[place], stage = track.columns.stage?.[place] ?? 0;
    const key = activity * 65536 + stage;
    if (!known.has(key)) {
      const text = [data.activities[activity], track.drawn.stages?.[stage]?.[0], track.name].join(" ").toLowerCase();
      known.set(key, words.every((word) => text.includes(word)));
    }
    return known.get(key);
  };
}

function isMicrobatch(columns, place, number) {
  return columns.microbatch?.[place] === number || columns.other_microbatch?.[place] === number;
}

function* matchesIn(data, track, query) {
  const c = track.columns, worded = hasWords(data, track, query.words);
  for (let row = 0; row + 1 < c.first.length; ++row) {
    if (query.rank !== undefined && data.ranks[row] !== query.rank) continue;
    for (let place = c.first[row]; place < c.first[row + 1]; ++place) {
      if (query.microbatch !== undefined && !isMicrobatch(c, place, query.microbatch)) continue;
      if (query.stage !== undefined && track.drawn.stages?.[c.stage?.[place]]?.[1] !== query.stage) continue;
      if (query.critical && !c.critical?.[place]) continue;
      if (query.moved && !track.differs?.places.has(place)) continue;
      if (worded(place)) yield place;
    }
  }
}

// Returns the events that the text describes, by track and start: [{ track, place }]. No text describes none.
export function found(data, tracks, text) {
  const query = queryOf(text);
  if (text.trim() === "") return [];
  return tracks.flatMap((track) => [...matchesIn(data, track, query)]
    .sort((a, b) => track.columns.start[a] - track.columns.start[b] || rowOf(track, a) - rowOf(track, b))
    .map((place) => ({ track, place })));
}
