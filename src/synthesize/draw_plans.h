// Steps that are planned from the sizes of their own draw: an order and owners for each draw, on the stages
// of one placement, since layers stay where they are. Private to src/synthesize.
//
// Idea: a static order pays for sizes that nobody knows when it is made. A step whose samples are known, as
// those of the next step are to a data loader that reads ahead, can have an order of its own. Each draw gets
// a search from the same starts; only its own sizes are looked at. The placement is the one with the shortest
// steps on kTried planning draws, each of them planned in the same way with fewer tries.
//
// Cost: `tries` for each draw and 1 / kFewer of them for each placement and planning draw. The processor time
// of a draw is told apart, since it has to fit into the step before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "synthesize/search_portfolio.h"

namespace spillway {

struct DrawPlans {
  // By draw. Bounds are of the same passes and owners, within the memory.
  std::vector<Seconds> steps = {}, bounds = {};
  std::vector<ScheduleSpec> schedules = {};  // listed, each for its draw alone
  std::string stages;                        // words for the placement
  std::uint64_t tries = 0;                   // for each draw
  double processor_s = 0;                    // mean host time of planning a draw

  Seconds step() const;  // the mean
};

// What is planned, and how.
struct DrawPlanning {
  const DrawCosts& costs;
  std::optional<Bytes> limit;  // of the memory of each device
  std::uint64_t seed, tries;
  std::function<bool()> stop;  // empty: never
};

// Plans each of the experiment's draws 0 to `draws` - 1. Empty if it was stopped, or if no order of a draw
// fits. Contract: `kept` is not empty.
std::optional<DrawPlans> plan_draws(const DrawPlanning& planning, const std::vector<SearchedPlacement>& kept,
                                    std::uint32_t draws);

}  // namespace spillway
