// When each action of a program ran, as it was played (job.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Times count from the step's start, on the clock that all ranks share. An action occupies its rank from
// `start` to `end`. `due` is the earliest end of what it does: a compute's `seconds` after it began, the
// arrival of a message on the predicted network, the end of a group's exchange after its last member began.
// `done` is when that was over. A wait and what takes no time have `due` = `done` = `end`.
struct ActionTimes {
  Seconds start, end, due, done;

  // Beyond what the action should take by itself.
  Seconds lost() const { return done - due; }
};

struct PlayedStep {
  Seconds length;                               // until the last rank passed the barrier
  std::vector<std::vector<ActionTimes>> ranks;  // [replica * ranks + rank][action]
};

struct PlayedProgram {
  double time_scale;
  std::vector<PlayedStep> steps;

  // The step of median length, the shorter of the middle two. Contract: there is a step.
  const PlayedStep& median() const;
};

}  // namespace spillway
