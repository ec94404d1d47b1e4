// Where a played step took longer than its actions should by themselves.
#pragma once

#include <vector>

#include "execute/execution.h"
#include "program/program.h"

namespace spillway {

// Sums over a rank's actions. A wait has no loss of its own: what it waited for has. A rank's losses delay
// the step only as far as they lie on its longest path, so they do not add up to the step's difference.
struct RankLosses {
  Seconds computing;  // sleeps that ended late
  Seconds messages;   // to this rank, that arrived later than on the predicted network
  Seconds groups;     // broadcasts, reductions, the barrier
  Seconds between;    // from the end of one action to the start of the next

  Seconds total() const { return computing + messages + groups + between; }
};

// By replica and rank.
std::vector<RankLosses> losses(const Program& program, const PlayedStep& step);

}  // namespace spillway
