// Says why a layout was not chosen: what became of it, how it stands beside the best, and what would make it
// fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/asked_layout.h"
#include "ask/layout_trial.h"
#include "ask/time_account.h"
#include "ask/way.h"
#include "evaluate/step_interval.h"
#include "launch/write/frameworks.h"
#include "memory/peak_memory.h"
#include "model/region.h"
#include "search/search.h"

namespace spillway {

// The outcome of a layout in the search. If several hold, it is the first of them.
enum class LayoutFate : std::uint8_t {
  Illegal,        // it breaks a rule
  Refused,        // no step of it can be evaluated
  DoesNotFit,     // it needs more memory than a plan may use
  NotSearched,    // a list of /search leaves it out
  NotLaunchable,  // only launchable layouts are asked for, and it is none
  BeyondLimits,   // it exceeds a limit of the job
  OutOfReach,     // its bound proves that it is neither among the best nor in their tie
  Recommended,    // it is plan 1 of `plan`
  Best,           // no other has a better value; plan 1 cannot be told apart from it
  Tied,           // it cannot be told apart from the best
  Slower          // it can be told apart from the best
};

// "does-not-fit", as in --json.
std::string_view word_of(LayoutFate fate);

// The most that a device of a rank holds, and the layers of its stages.
struct RankMemory {
  std::uint32_t rank;
  std::vector<LayerRange> layers;  // input first
  MemoryParts parts;
};

// A layout's memory, and what would make it fit, one change at a time.
struct MisfitAccount {
  std::vector<RankMemory> memory = {};    // by rank; empty if the order is too large to hold
  std::vector<TriedLayout> changes = {};  // those that fit first, the fastest first; impossible ones last
};

// Plan 1 of `plan`: of the layouts that cannot be told apart from the best, the simplest that can be
// launched.
struct RecommendedPlan {
  EvaluatedPlan plan;
  LaunchOffer launch;
  std::size_t place;               // among the evaluated plans, from 1
  std::string best_launch_reason;  // why the best cannot be launched; empty: it can
};

// The changes from the layout to plan 1, which is what users would run. If the layout is plan 1 itself, they
// lead to the best.
struct LayoutWay {
  bool to_best;
  std::vector<TriedLayout> alone;   // each change alone
  std::vector<WayStep> steps = {};  // one on top of another; empty if no step of the layout is known
};

// Where their steps go. Nothing for a step that is not known, or too large to be held.
struct ComparedAccounts {
  std::optional<TimeAccount> own = {}, recommended = {}, best = {};
};

struct ExplainedLayout {
  LayoutFate fate;
  LayoutTrial own;
  std::optional<LaunchOffer> launch = {};  // nothing if its step is not known
  std::vector<BrokenRule> unlisted = {};   // values that a list of /search leaves out
  std::string planned_as = {};             // the schedule in whose name the same layout is planned
  std::optional<StepInterval> interval = {};
  Bytes memory_bound = {};  // no evaluation needs less; 0 for an illegal layout
  Seconds step_bound = {};  // no evaluation is faster; 0 for an illegal layout
  std::size_t place = 0;    // among the evaluated plans, from 1; 0: the search did not evaluate it
  // The number of the plan of `plan` that it is, or that stands for it; 0: none is shown.
  std::size_t row = 0;
  bool is_folded = false;                           // another layout of its choice stands for it
  std::optional<EvaluatedPlan> best = {};           // nothing if the job has no plan
  std::optional<RecommendedPlan> recommended = {};  // the same
  double margin = 0;                                // a larger difference tells it apart from the best
  std::vector<TriedLayout> towards_best = {};       // from the layout, each alone
  std::optional<LayoutWay> way = {};  // nothing without a plan, and for plan 1 if it is the best
  ComparedAccounts accounts = {};
  MisfitAccount misfit = {};  // if it does not fit

  // The plan to which the way leads. Contract: there is a way.
  const EvaluatedPlan& target() const { return way->to_best ? *best : recommended->plan; }
};

// Contract: `result` is that of search_plans() for the asked layout's job, with this `top`, which is that of
// `plan`.
ExplainedLayout explain_layout(const AskedLayout& asked, const SearchResult& result, std::size_t top);

// What a layout of the job needs, and what would make it fit. Contract: it breaks no rule.
MisfitAccount explain_misfit(LayoutTrials& trials, const PlanJob& job, const PlanLayout& layout,
                             std::size_t planned);

// Returns text for a terminal.
std::string misfit_text(const PlanJob& job, const PlanLayout& layout, const MisfitAccount& misfit);
std::string explained_layout_text(const AskedLayout& asked, const ExplainedLayout& explained,
                                  const SearchResult& result);
// Returns a document of format spillway/layout-explanation/1.
std::string explained_layout_json(const AskedLayout& asked, const ExplainedLayout& explained,
                                  const SearchResult& result);

}  // namespace spillway
