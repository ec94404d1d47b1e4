// What the page of a run shows, as data.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// A document of report/page/html.h, { "kind": "run", ... }: the report as report_json() says it, of its ranks
// those that are shown of replica 0; and what is in no report: timelines, bubbles by cause, memory over time,
// makespans by draw. Nothing is computed here but places in columns. Same evaluation, same bytes.
// `explanation`: spillway/explanation/1 of the same evaluation, for what would help; empty where nobody
// asked.
std::string page_json(const Evaluation& evaluation, const std::string& explanation = {});

}  // namespace spillway
