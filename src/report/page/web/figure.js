// Figures of a document, each with the place that it stands in there: what the page shows is what the document says.

import { el } from "./dom.js";

function at(document, pointer) {
  let value = document;
  for (const part of pointer.split("/").slice(1))
    value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return value;
}

// What is drawn is an object, its mean beside others; else it is a number. Null where there is none.
function partOf(value, part) {
  return value !== null && typeof value === "object" ? value[part] : value ?? null;
}

export const mean = (value) => partOf(value, "mean");
export const most = (value) => partOf(value, "max");

// The figure at `pointer`, as text and, exactly, as the value of the element; over draws its mean, or another part.
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
