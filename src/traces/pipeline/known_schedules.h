// The schedules a measured order is held against. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "traces/pipeline/pipeline.h"

namespace spillway {

struct KnownSchedule {
  std::string text;  // "1f1b,1f1b"
  Skeleton skeleton;
  RunShape shape;  // group: the default one but for interleaved 1F1B
};

// Those that place their stages as the pipeline does and take its size, in the order of docs/schedules.md.
std::vector<KnownSchedule> known_schedules(const MeasuredPipeline& pipeline);

}  // namespace spillway
