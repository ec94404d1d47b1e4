// The data of the page of a run.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns a document for report/page/html.h, { "kind": "run", ... }. It has the report of report_json(), but
// only the shown ranks of replica 0. It adds data that no report has: timelines, bubbles by cause, memory
// over time, makespans by draw. It computes nothing but places in columns. The same evaluation gives the same
// bytes. `explanation` is spillway/explanation/1 of the same evaluation, with the changes that would help, or
// empty if not requested.
std::string page_json(const Evaluation& evaluation, const std::string& explanation = {});

}  // namespace spillway
