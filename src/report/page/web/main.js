// The page: one document in, sections out. A kind of document is a function here and a file of its own.

import { el } from "./dom.js";
import { casesPage, comparisonPage, planPage, tracePage } from "./documents.js";
import { runPage } from "./run_page.js";
import { sweepPage } from "./sweep_page.js";

const KINDS = { run: runPage, plan: planPage, "validation-cases": casesPage, validation: tracePage, comparison: comparisonPage,
                sweep: sweepPage };

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const build = KINDS[data.kind];
document.title = (data.report?.experiment ?? data.document?.name ?? data.kind) + " · Spillway";
// Charts ask for their width, so they must be on the page when they are made; they draw when they have one.
page.append(...(build ? build(data) : [el("p", {}, `No page shows “${data.kind}”.`)]).flat(Infinity).filter(Boolean));
performance.mark("spillway-drawn");
