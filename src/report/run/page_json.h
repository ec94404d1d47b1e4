// The data of the page of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// A step of a trace that the page shows above the simulated ones.
struct TracedStep {
  std::string name;  // "measured step 23, replica 0"
  std::shared_ptr<const Derived> derived;
  Timeline timeline;  // from 0, on one lane
};

// Returns a document for report/page/html.h, { "kind": "run", ... }. It has the report of report_json(), but
// only the shown ranks of replica 0. It adds data that no report has: timelines, bubbles by cause, memory
// over time, makespans by draw. It computes nothing but places in columns. The same evaluation gives the same
// bytes. `explanation` is spillway/explanation/1 of the same evaluation, with the changes that would help, or
// empty if not requested. `measured` is left out if it has another number of ranks.
std::string page_json(const Evaluation& evaluation, const std::string& explanation = {},
                      const std::optional<TracedStep>& measured = {});

}  // namespace spillway
