// Figures and texts for the shown plans, beyond the result of the search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/step_interval.h"
#include "launch/write/frameworks.h"
#include "search/plan_goodput.h"
#include "search/search.h"
#include "sweep/plot/scatter.h"

namespace spillway {

struct ShownPlan {
  EvaluatedPlan plan;
  std::string experiment;                        // JSON text that `run` takes
  std::vector<std::uint32_t> stage_layers = {};  // in the model's order; empty: one stage
  double ci95 = 0;                               // of the mean over the draws, in seconds
  std::optional<StepInterval> unknown = {};      // prediction interval of the step
  std::optional<Seconds> replayed = {};          // by SimGrid, mean over the draws
  double mfu = 0;
  double useful_tokens_per_second = 0;
  std::optional<Dollars> trillion_useful_tokens = {};
  std::optional<double> days = {};
  std::optional<Dollars> price = {};         // of the training
  std::optional<PlanGoodput> goodput = {};   // with failures, if its cluster states its reliability
  std::vector<std::string> folded = {};      // names of schedules that equal this one here
  std::vector<std::string> speaks_for = {};  // among plans that tie: the values in which it is least
  std::string framework = {};                // the software's name; empty: none is stated
  LaunchOffer launch = {};
  bool leads = false;  // the best on as many devices of its stated cluster
};

struct PlanReport {
  const PlanJob& job;
  SearchCounts counts;
  std::vector<ShownPlan> plans;
  std::size_t tied = 0;  // number of plans that tie with the best, shown or not
  std::vector<WithoutPlan> without = {};
  std::vector<FrameworkAnswer> answers = {};  // search/software/spread.h prints them
};

// Reports the first `top` plans, and behind them the best on each number of a cluster's devices that is not
// among them. The caller adds the outcomes of SimGrid.
PlanReport report_of(const PlanJob& job, SearchResult result, StageLayers& layers, std::size_t top);

// The best plan in a sentence, and the number of layouts by what became of them.
std::string verdict(const PlanReport& report);
std::string counts_line(const PlanReport& report);
// The assumptions that are printed with the plans.
std::vector<std::string> assumptions_of(const PlanReport& report);

// Returns a document of format spillway/plans/1.
std::string plans_json(const PlanReport& report);
// Returns a document for report/page/html.h, { "kind": "plan", ... }: the plans without their experiments,
// and `picture`.
std::string plans_page_json(const PlanReport& report, const Scatter& picture);
// Returns text for a terminal.
std::string plans_text(const PlanReport& report);

}  // namespace spillway
