// Makes elements. Text from a document stays text: no code of the page parses HTML.

import { namespaces } from "d3-selection";

// Characters that turn the direction of the text behind them, as the terminal writes them.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const visible = (text) => text.replace(TURNS, (turn) => "\\u" + turn.charCodeAt(0).toString(16));

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return element;
}

// el("p", { class: "hint", click: handler }, "text", other)
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(namespaces.svg, name), attributes, children);
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// The drawn elements, held weakly, and the function that draws each again.
const drawn = new Set(), again_of = new WeakMap();
const drawAllAgain = () => {
  for (const each of drawn) {
    const element = each.deref();
    if (element) again_of.get(element)();
    else drawn.delete(each);
  }
};
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", drawAllAgain);

// Calls draw(width) now, and whenever the width of `element` or the colours change.
export function drawnInto(element, draw) {
  let last = 0;
  const again = () => {
    last = Math.floor(element.clientWidth);
    if (last > 0) draw(last);
  };
  new ResizeObserver(() => {
    if (Math.floor(element.clientWidth) !== last) again();
  }).observe(element);
  drawn.add(new WeakRef(element));
  again_of.set(element, again);
  again();
}
