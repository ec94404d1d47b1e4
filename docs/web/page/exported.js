// Files of what the page shows, for the reader's disk.

import { el } from "../../../src/report/page/web/dom.js";
import { unpacked } from "../../../src/report/page/web/packed.js";

function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// As the program writes report.html: the bundled page with the data gzipped, in base64.
export async function reportPage(data) {
  const [template, packed] = await Promise.all([
    unpacked("report").then((page) => page.text()),
    new Response(new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  ]);
  let bytes = "";
  for (const byte of new Uint8Array(packed)) bytes += String.fromCharCode(byte);
  const [before, after] = template.split("@data@");
  return [before, btoa(bytes), after];
}

// shown() returns { name, text, data }, with data null if the experiment was refused.
export function exporter(shown) {
  const button = (words, act) => el("button", { type: "button", click: act }, words);
  const report = button("report.html", async () => save("report.html", await reportPage(shown().data), "text/html"));
  const figures = button("report.json", () => save("report.json", [JSON.stringify(shown().data.report, null, 2), "\n"], "application/json"));
  const element = el("p", { class: "exports" }, "Save: ",
    button("experiment", () => save(shown().name, [shown().text], "application/json")), " ", report, " ", figures);
  return { element, enable: (has) => { for (const one of [report, figures]) one.disabled = !has; } };
}
