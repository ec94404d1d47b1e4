// Searches the best layouts of a job. It evaluates those that could be among the best, and leaves the others
// out by bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "evaluate/point.h"
#include "search/layout.h"
#include "search/stage_layers.h"
#include "sweep/run/workers.h"

namespace spillway {

struct EvaluatedPlan {
  PlanLayout layout;
  PointOutcome outcome;
  Seconds step;                      // mean over the draws
  std::optional<Dollars> step_cost;  // set if the cluster has a price
  double value;                      // the objective: USD or seconds of a step
  std::size_t tie = 0;               // plans with the same number cannot be told apart
};

struct SearchCounts {
  std::size_t legal = 0;             // that are searched
  std::size_t left_out = 0;          // further legal ones, by sense (sense.h)
  std::size_t pruned_by_memory = 0;  // need more memory than a device has, with any schedule
  std::size_t pruned_by_bound = 0;   // too slow or too costly to be shown or to tie with the best
  // Of layouts that bounds keep: their framework cannot express them. 0 unless the job asks for launchable
  // ones.
  std::size_t unlaunchable = 0;
  std::string unlaunchable_reason = {};  // the commonest
  std::size_t evaluated = 0;  // of these, the following are refused, do not fit, or exceed a limit:
  std::size_t refused = 0;
  std::string first_refusal = {};
  std::size_t misfits = 0;
  std::size_t beyond_limits = 0;
};

// The answer under one framework of a cluster, or its bound.
struct FrameworkAnswer {
  std::size_t cluster;                           // of the job
  std::optional<EvaluatedPlan> best = {};        // on any number of its devices
  std::optional<EvaluatedPlan> launchable = {};  // the best that the framework can launch; a bound has none
  std::string unlaunched = {};                   // why it cannot launch `best`; empty if it can
  std::string why = {};                          // if there is no best: the nearest layout
};

// A number of a stated cluster's devices on which no layout fits and keeps within the limits.
struct WithoutPlan {
  std::size_t cluster;  // the first of the stated one
  std::uint32_t devices;
  std::string why;  // the nearest layout
};

struct SearchResult {
  SearchCounts counts;
  // Best first: the best of the first `top` choices (plan_choice.h) and all of these choices that tie with
  // it, all that tie with the best of all, all that tie with the best on each number of a stated cluster's
  // devices, and for each framework its best and the best that it can launch. Others are among them by
  // chance. Bounds are not.
  std::vector<EvaluatedPlan> plans;
  std::vector<WithoutPlan> without = {};
  // The reason if there are no plans: the nearest layout.
  std::string refusal = {};
  std::vector<FrameworkAnswer> answers = {};  // of the clusters with a framework, and of bounds, in order
  std::optional<PlanLayout> misfit = {};      // the layout that it names if none fits
};

// Computes the outcomes of points, which are indices of layouts. Throws as workers do.
using ComputeRound = std::function<void(const std::vector<std::size_t>& points, const Keep& keep)>;
// Called after each round with the number of layouts that bounds or evaluations have settled.
using OnRound = std::function<void(std::size_t settled)>;

inline constexpr double kSecondsOfADay = 86'400;

// Returns the days of training at this step: useful tokens of the training over those of a step. Returns
// nothing if the job states no tokens.
std::optional<double> days_of(const PlanJob& job, const EvaluatedPlan& plan);
std::optional<Dollars> price_of(const PlanJob& job, const EvaluatedPlan& plan);
// The mean over the draws.
double useful_tokens(const PointOutcome& outcome);

// A search finds as many choices, however few are shown: plan 1, a better one that it ties with, and the
// next.
inline constexpr std::size_t kComparedChoices = 3;

// Searches in rounds. The layouts of a round follow only from earlier rounds, so the result is the same for
// any number of workers. It is also the same for any number of `threads`, which compute bounds between the
// rounds. Contract: `layouts` are some of legal_layouts(job), in their order; threads > 0.
SearchResult search_plans(const PlanJob& job, const std::vector<PlanLayout>& layouts, StageLayers& layers,
                          std::size_t top, const ComputeRound& compute, unsigned threads = 1,
                          const OnRound& on_round = {});

}  // namespace spillway
