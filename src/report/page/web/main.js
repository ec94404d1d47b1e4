// Turns one document into the sections of the page. KINDS has the function for each kind of document.

import { el } from "./dom.js";
import { casesPage, classesPage, comparisonPage, tracePage } from "./documents.js";
import { unpacked } from "./packed.js";
import { planPage } from "./plan_page.js";
import { runPage } from "./run_page.js";
import { sweepPage } from "./sweep_page.js";

const KINDS = { run: runPage, plan: planPage, "validation-cases": casesPage, "validation-tables": classesPage, validation: tracePage,
                comparison: comparisonPage, sweep: sweepPage };

const page = document.getElementById("page");

function show(data) {
  const build = KINDS[data.kind];
  document.title = (data.report?.experiment ?? data.document?.name ?? data.kind) + " · Spillway";
  // A chart draws itself as soon as it has a width, which it gets when it is on the page.
  page.append(...(build ? build(data) : [el("p", {}, `No page shows “${data.kind}”.`)]).flat(Infinity).filter(Boolean));
  performance.mark("spillway-drawn");
}

unpacked("data").then((response) => response.json()).then(show)
  .catch((fault) => page.append(el("p", { class: "bad" }, `This page cannot be shown: ${fault.message}. The figures are in the JSON beside it.`)));
