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
  std::optional<Dollars> price = {};        // of the training
  std::optional<PlanGoodput> goodput = {};  // with failures, if its cluster states its reliability
  std::vector<std::string> folded = {};     // names of schedules that equal this one here
  std::vector<PlanLayout> like = {};        // of its choice, and not to be told apart from it; best first
  std::string framework = {};               // the software's name; empty: none is stated
  LaunchOffer launch = {};
  bool leads = false;  // on as many devices of its stated cluster
};

// A layout that another is compared with: the best on a number of a cluster's devices, whether it can be
// launched or not, or the next best choice.
struct RivalPlan {
  PlanLayout layout;
  Seconds step;
  double value;  // the objective
  std::optional<double> days;
  std::optional<Dollars> price;
  std::optional<StepInterval> unknown;  // prediction interval of the step
  std::string launch_reason;            // why it cannot be launched; empty if it can
};

struct ClusterBest {
  std::size_t plan;  // index in PlanReport::plans: it leads on these devices
  RivalPlan optimum;
  bool of_cluster;   // the best of all numbers of the stated cluster's devices
  bool on_frontier;  // none of the others is both faster and cheaper
};

struct PlanReport {
  const PlanJob& job;
  SearchCounts counts;
  std::vector<ShownPlan> plans;         // one of each choice, the recommended one first
  std::vector<ClusterBest> bests = {};  // by stated cluster and devices
  std::optional<RivalPlan> next = {};   // the best choice besides those of plan 1 and of its optimum
  std::size_t tied = 0;                 // number of plans that tie with the best, shown or not
  std::size_t tied_choices = 0;         // number of choices that these are of
  std::vector<WithoutPlan> without = {};
  std::vector<FrameworkAnswer> answers = {};  // search/answer/spread.h prints them
};

// Reports the rows of plan_rows.h. The caller adds the outcomes of SimGrid.
PlanReport report_of(const PlanJob& job, SearchResult result, StageLayers& layers, std::size_t top);

// The number of layouts by what became of them.
std::string counts_line(const PlanReport& report);
// The assumptions that are printed with the plans.
std::vector<std::string> assumptions_of(const PlanReport& report);

// Returns a document of format spillway/plans/1.
std::string plans_json(const PlanReport& report);
// Returns a document for report/page/html.h, { "kind": "plan", ... }: the plans without their experiments,
// and `picture`. `twin` is the account of a job's measured passes, JSON; empty: none was measured.
std::string plans_page_json(const PlanReport& report, const Scatter& picture, const std::string& twin = {});
// Returns text for a terminal.
std::string plans_text(const PlanReport& report);

}  // namespace spillway
