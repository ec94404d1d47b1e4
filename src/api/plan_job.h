// `spillway plan`: finds the best layouts for a job, on this machine or on the ranks of an MPI job.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "api/long_runs.h"
#include "ask/explained_layout.h"
#include "json/source.h"
#include "search/answer/plan_figures.h"
#include "sweep/plot/scatter.h"
#include "sweep/run/ranks.h"

namespace spillway {

struct PlanArguments {
  Source source = "";
  std::size_t top = 10;
  unsigned jobs = 0;     // threads; 0: one per core, on ranks one
  std::string out = {};  // the store; empty: none
  bool resume = false;
  std::string framework = {};  // narrows every cluster to it; empty: all of the job
  bool launchable = false;     // plan only layouts that their framework can launch
  bool all = false;            // plan also layouts that nobody would run (search/sense.h)
};

struct PlanAnswer {
  std::unique_ptr<const PlanJob> job;
  PlanReport report;  // of `job`
  Scatter picture;    // time against cost of the evaluated layouts
};

// A signal came. If the search has a store, `kept` counts the outcomes in it.
struct InterruptedPlan : Interrupted {
  std::optional<std::string> store;
  std::size_t kept = 0;
};

// `ranks` is null for this machine alone, otherwise rank 0's job. Throws Infeasible if no layout serves the
// job, and InterruptedPlan. A process runs one at a time.
PlanAnswer plan_job(const PlanArguments& arguments, RankedJob* ranks, const OnPoints& on_layouts = {});

// A layout of a job, and why it was not chosen.
struct LayoutAnswer {
  std::unique_ptr<const AskedLayout> asked;
  ExplainedLayout explained;
  SearchResult result;  // the plans of the job

  std::string text() const { return explained_layout_text(*asked, explained, result); }
  std::string json() const { return explained_layout_json(*asked, explained, result); }
};

// Searches the job as plan_job() does, and explains a layout (ask/asked_layout.h). A job without plans has
// an answer, too. Throws InputError for a layout that cannot be read.
LayoutAnswer explain_layout_of_job(const PlanArguments& arguments, const std::string& layout,
                                   RankedJob* ranks, const OnPoints& on_layouts = {});

// Runs the part of another rank.
void follow_plan(RankedJob& ranks, const PlanArguments& arguments);

}  // namespace spillway
