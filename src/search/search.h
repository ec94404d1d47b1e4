// The best layouts of a job: those that could be among them evaluated, the others left out by bounds.
#pragma once

#include <cstddef>
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
  std::optional<Dollars> step_cost;  // where the cluster has a price
  double value;                      // what the objective makes least: USD or seconds of a step
  std::size_t tie = 0;               // plans of one number cannot be told apart
};

struct SearchCounts {
  std::size_t legal = 0;
  std::size_t pruned_by_memory = 0;  // hold more than a device has, whatever their schedule does
  std::size_t pruned_by_bound = 0;   // too long to be shown or to tie with the best
  std::size_t evaluated = 0;         // some of which cannot be, do not fit, or break a limit:
  std::size_t refused = 0;
  std::string first_refusal = {};
  std::size_t misfits = 0;
  std::size_t beyond_limits = 0;
};

struct SearchResult {
  SearchCounts counts;
  std::vector<EvaluatedPlan> plans;  // the best first: all that tie with the best, and `top` at least
  // Where there are none, why: what comes nearest.
  std::string refusal = {};
};

// Computes outcomes of points, which are indices of layouts; throws as workers do.
using ComputeRound = std::function<void(const std::vector<std::size_t>& points, const Keep& keep)>;
// After each round: how many layouts are settled, by bounds or evaluations.
using OnRound = std::function<void(std::size_t settled)>;

// How long training takes at this step: useful tokens over those of a step. Nothing where the job states
// none.
std::optional<double> days_of(const PlanJob& job, const EvaluatedPlan& plan);
std::optional<Dollars> price_of(const PlanJob& job, const EvaluatedPlan& plan);
// Of the draws.
double useful_tokens(const PointOutcome& outcome);

// In rounds, whose layouts follow from the rounds before alone: the same for any number of workers, and of
// the threads that compute bounds between them. Contract: `layouts` are legal_layouts(job), threads > 0.
SearchResult search_plans(const PlanJob& job, const std::vector<PlanLayout>& layouts, StageLayers& layers,
                          std::size_t top, const ComputeRound& compute, unsigned threads = 1,
                          const OnRound& on_round = {});

}  // namespace spillway
