// `spillway plan`: the layouts that serve a job best, on this machine or on the ranks of an MPI job.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "api/long_runs.h"
#include "json/source.h"
#include "search/plan_figures.h"
#include "sweep/plot/scatter.h"
#include "sweep/run/ranks.h"

namespace spillway {

struct PlanArguments {
  Source source = "";
  std::size_t top = 10;
  unsigned jobs = 0;     // threads; 0: one for each core, on ranks one
  std::string out = {};  // the store; empty: none
  bool resume = false;
};

struct PlanAnswer {
  std::unique_ptr<const PlanJob> job;
  PlanReport report;  // of it
  Scatter picture;    // of the evaluated layouts: time against cost
};

// A signal came; of a search into a store, what is kept there.
struct InterruptedPlan : Interrupted {
  std::optional<std::string> store;
  std::size_t kept = 0;
};

// `ranks`: null for this machine alone, else rank 0's. Throws Infeasible where no layout serves the job,
// InterruptedPlan. One at a time in a process.
PlanAnswer plan_job(const PlanArguments& arguments, RankedJob* ranks, const OnPoints& on_layouts = {});

// The part of another rank.
void follow_plan(RankedJob& ranks, const PlanArguments& arguments);

}  // namespace spillway
