// The page: one document in, sections out. A kind of document is a function here and a file of its own.

import { el } from "./dom.js";
import { casesPage, comparisonPage, planPage, tracePage } from "./documents.js";
import { unpacked } from "./packed.js";
import { runPage } from "./run_page.js";
import { sweepPage } from "./sweep_page.js";

const KINDS = { run: runPage, plan: planPage, "validation-cases": casesPage, validation: tracePage, comparison: comparisonPage,
                sweep: sweepPage };

const page = document.getElementById("page");

function show(data) {
  const build = KINDS[data.kind];
  document.title = (data.report?.experiment ?? data.document?.name ?? data.kind) + " · Spillway";
  // Charts ask for their width, so they must be on the page when they are made; they draw when they have one.
  page.append(...(build ? build(data) : [el("p", {}, `No page shows “${data.kind}”.`)]).flat(Infinity).filter(Boolean));
  performance.mark("spillway-drawn");
}

unpacked("data").then((response) => response.json()).then(show)
  .catch((fault) => page.append(el("p", { class: "bad" }, `This page cannot be shown: ${fault.message}. The figures are in the JSON beside it.`)));
