// What is said of the plans that are shown, beside what their search found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/step_interval.h"
#include "search/search.h"
#include "sweep/plot/scatter.h"

namespace spillway {

struct ShownPlan {
  EvaluatedPlan plan;
  std::string experiment;                    // JSON text that `run` takes
  double ci95 = 0;                           // of the mean over the draws, seconds
  std::optional<StepInterval> unknown = {};  // how long the step may be for what is not known
  std::optional<Seconds> replayed = {};      // by SimGrid, mean over the draws
  double mfu = 0;
  double useful_tokens_per_second = 0;
  std::optional<Dollars> trillion_useful_tokens = {};
  std::optional<double> days = {};
  std::optional<Dollars> price = {};         // of the training
  std::vector<std::string> folded = {};      // names of schedules that are the same one here
  std::vector<std::string> speaks_for = {};  // among plans that tie: what it has the least of
};

struct PlanReport {
  const PlanJob& job;
  SearchCounts counts;
  std::vector<ShownPlan> plans;
  std::size_t tied = 0;  // with the best, shown or not
};

// The first `top` plans. The outcomes of SimGrid are added by who can run it.
PlanReport report_of(const PlanJob& job, SearchResult result, StageLayers& layers, std::size_t top);

// The best plan in a sentence; how many layouts there were, and what became of them.
std::string verdict(const PlanReport& report);
std::string counts_line(const PlanReport& report);
// What is printed with them.
std::vector<std::string> assumptions_of(const PlanReport& report);

// spillway/plans/1.
std::string plans_json(const PlanReport& report);
// A document of report/page/html.h, { "kind": "plan", ... }: the plans without their experiments, and
// `picture`.
std::string plans_page_json(const PlanReport& report, const Scatter& picture);
// For the terminal.
std::string plans_text(const PlanReport& report);

}  // namespace spillway
