// In which order the ranks of a step took their passes. Private to src/traces.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/pipeline/step_passes.h"

namespace spillway {

// Each rank's passes by start on its own clock. A forward and a whole backward of which more than half of the
// shorter lies inside the other are one slot, run together.
std::vector<RankOrder> step_order(const StepSlice& slice, const PipelineShape& shape);

// What most steps do, the first of equals, and how many of them do something else. Contract: there is a step.
struct CommonOrder {
  std::vector<RankOrder> orders;
  std::size_t others;
};
CommonOrder common_order(const std::vector<MeasuredStep>& steps);

}  // namespace spillway
