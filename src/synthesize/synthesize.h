// Finds an order of passes for an experiment: the work of `spillway synthesize`.
//
// Starts are the experiment's schedules, and every system and skeleton that its job allows (named_starts.h).
// Each is planned as a run plans it. Starts with the same passes on the same ranks are one placement. The
// kPlacements placements with the fastest starts are searched, and placements that no named schedule has
// (made_placements.h): the order of passes and the owners of encodes (order_search.h), from the starts on, so
// none gets worse on the draws that are searched.
//
// The found orders and the named schedules are then compared on other planning draws, as a run would play
// them. The fastest that fits is the result, so no named schedule on these terms is faster on the compared
// draws. It is judged at last on the experiment's own draws, like every other schedule.
//
// Tries are shared out over the placements in a fixed way (search_portfolio.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "synthesize/difference.h"
#include "synthesize/draw_plans.h"

namespace spillway {

struct SynthesisRequest {
  std::uint64_t effort = 4000;       // orders to try
  std::uint64_t seed = 1;            // of the search
  std::optional<Bytes> memory = {};  // the most that a device may hold; empty: as the experiment states it
  // The skeletons of pipelines that the framework has; empty: all. Backwards are split if one of them splits.
  std::vector<Skeleton> skeletons = {};
  std::uint64_t per_draw = 0;       // orders to try for each draw, from its own sizes; 0: none
  std::function<bool()> stop = {};  // asked after each try; empty: never
};

// A schedule whose order was not searched, and why: "its samples move".
struct LeftOut {
  std::string schedule;
  std::string reason;
};

struct Synthesis {
  Experiment experiment;  // its schedules, the fastest named starts, and the found schedule as the last
  Evaluation evaluation;  // of all these
  std::size_t starts;     // the number of named schedules that were planned
  std::string nearest;    // the named schedule that the found one began with
  std::string made;       // what no named schedule has: stages of the found one; empty: `nearest` has them
  bool is_named;          // no order that was found is faster than `nearest`
  // No order of these passes on these ranks is more than 0.01 % faster on the draws that were searched; of a
  // step that is not small (placement_search.h), under these owners.
  bool optimal;
  OrderDifference different;  // from `nearest`; all 0 if its order cannot be searched
  Seconds planned, named;     // mean steps on the compared draws: found, and of the fastest named start
  Seconds bound;              // of the found schedule's passes on the experiment's draws, within the memory
  std::uint64_t tries;        // orders that were tried
  std::uint64_t seed;
  std::vector<SearchProgress> progress;
  std::optional<DrawPlans> draws;  // steps planned from the sizes of each draw, if that was asked for
  std::string entry;  // the found schedule as an entry of `schedules`; empty: the experiment has it
  std::vector<LeftOut> left_out;  // of the experiment's own schedules

  const ScheduleSpec& schedule() const { return experiment.schedules.back(); }
  const ScheduleResult& found() const { return evaluation.schedules.back(); }
  // The fastest named schedule on equal terms that fits, or else the one that holds least.
  const ScheduleResult& best_named() const;
  // The same among those too that know the sizes of each draw.
  const ScheduleResult& best_knowing() const;

 private:
  const ScheduleResult& best(bool may_know) const;
};

// Throws Infeasible, with the least memory that any order which was tried holds, if none fits; InputError if
// no schedule can be searched; and as evaluate() does.
Synthesis synthesize(const Experiment& experiment, const SynthesisRequest& request);

// The result in one sentence: "synthesized takes 12.08 s a step, 1.012x the speed of ...".
std::string verdict(const Synthesis& synthesis);

// How many times as fast each draw is as under `named`.
std::vector<double> speedups_of(const DrawPlans& draws, const ScheduleResult& named);

// The result for people and as spillway/synthesis/1. `program` is the found schedule as spillway/program/1;
// empty: it has no such form.
std::string synthesis_text(const Synthesis& synthesis);
std::string synthesis_json(const Synthesis& synthesis, const std::string& program);

// The page of the run of all its schedules (report/run/page_json.h), with what the found one does
// differently.
std::string synthesis_page(const Synthesis& synthesis);

}  // namespace spillway
