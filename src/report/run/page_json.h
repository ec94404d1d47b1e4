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

// The documents of other commands about the same evaluation, each in JSON. An empty one is left out.
struct BesideReport {
  std::string verdict = {};                 // in place of the report's
  std::string explanation = {};             // spillway/explanation/1, with the changes that would help
  std::string synthesis = {};               // spillway/synthesis/1; the last schedule is the found one
  std::string twin = {};                    // spillway/twin/1; its report is not looked at
  std::optional<TracedStep> measured = {};  // left out if it has another number of ranks
};

// Returns a document for report/page/html.h, { "kind": "run", ... }. It has the report of report_json(), but
// only the shown ranks of replica 0. It adds data that no report has: timelines, bubbles by cause, memory
// over time, makespans by draw. It computes nothing but places in columns. The same evaluation gives the same
// bytes.
std::string page_json(const Evaluation& evaluation, const BesideReport& beside = {});

}  // namespace spillway
