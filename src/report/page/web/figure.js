// Figures of a document. Each element has the figure's pointer into the document, so that tests can compare them.

import { el } from "./dom.js";

function at(document, pointer) {
  let value = document;
  for (const part of pointer.split("/").slice(1))
    value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return value;
}

// A figure that varies over draws is an object with its mean and other parts. Else it is a number, or null if unknown.
function partOf(value, part) {
  return value !== null && typeof value === "object" ? value[part] : value ?? null;
}

export const mean = (value) => partOf(value, "mean");
export const most = (value) => partOf(value, "max");

// Returns an element with the figure at `pointer` as text. Its `value` is exact. Over draws it is the mean or `part`.
export function figure(document, pointer, format, { none = "–", part = "mean" } = {}) {
  const found = at(document, pointer);
  const value = partOf(found, part);
  if (value === null) return el("span", { class: "none" }, none);
  const place = found === value ? pointer : `${pointer}/${part}`;
  return el("data", { value: String(value), "data-pointer": place }, format(value));
}

export function halfWidth(value) {
  return value !== null && typeof value === "object" ? value.ci95 : 0;
}
