// The look of a part of a chart is a colour of words/colours.css and a texture, "backward/stripes". One colour has one
// meaning, so textures tell apart what rests on the same thing: stripes of a pass are time spent waiting for that pass.

import { svg } from "./dom.js";

const SIDE = 6;  // of a texture's tile, in pixels

// Each texture as the part of its tile that has the full colour; the rest of the tile has a tint of it.
const TEXTURES = {
  stripes: { turn: 45, shape: `M0 0h${SIDE / 2}v${SIDE}h-${SIDE / 2}z` },
  backslashes: { turn: -45, shape: `M0 0h${SIDE / 2}v${SIDE}h-${SIDE / 2}z` },
  dots: { turn: 0, shape: "M1.5 1.5h2.5v2.5h-2.5z" },
  bars: { turn: 0, shape: `M0 0h${SIDE / 3}v${SIDE}h-${SIDE / 3}z` },
};

const tiles = svg("defs");

function tile(id, colour, { turn, shape }) {
  return svg("pattern", { id, width: SIDE, height: SIDE, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})` },
             svg("rect", { width: SIDE, height: SIDE, fill: `var(--${colour})`, "fill-opacity": 0.25 }),
             svg("path", { d: shape, fill: `var(--${colour})` }));
}

// Returns what an SVG element takes as `fill`. All drawings of the page share the tiles.
export function fillOf(look) {
  const [colour, texture] = look.split("/");
  if (!texture) return `var(--${colour})`;
  const id = `${colour}-${texture}`;
  if (!tiles.parentNode) document.body.append(svg("svg", { width: 0, height: 0, "aria-hidden": "true", class: "tiles" }, tiles));
  if (!tiles.querySelector(`#${id}`)) tiles.append(tile(id, colour, TEXTURES[texture]));
  return `url(#${id})`;
}

export function swatch(look) {
  return svg("svg", { class: "swatch", width: 12, height: 12, "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, rx: 2, fill: fillOf(look) }));
}

// Lines and groups of points, whose colours say nothing, differ in shape, too: readers need not match colours.
const SHAPES = ["M0-4A4 4 0 1 1 0 4A4 4 0 1 1 0-4z", "M-4-4h8v8h-8z", "M0-5L5 4h-10z", "M0-5.5L5.5 0L0 5.5L-5.5 0z", "M0 5L5-4h-10z",
                "M0-5L4.8-1.5L2.9 4.2h-5.8L-4.8-1.5z"];
const SERIES = 5;

export const seriesColour = (i) => `series-${i % SERIES + 1}`;
// Colours begin again with other dashes.
export const seriesDash = (i) => [null, "7 4", "2 3"][Math.floor(i / SERIES) % 3];
export const seriesShape = (i) => SHAPES[i % SHAPES.length];

export function seriesSwatch(i) {
  return svg("svg", { class: "swatch", width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
             svg("path", { d: seriesShape(i), fill: `var(--${seriesColour(i)})` }));
}
