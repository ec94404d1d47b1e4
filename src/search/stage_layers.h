// Balances the stages of layouts. Many layouts have layers with equal times, so layers are priced once, on
// the fixed number of microbatches of each draw that plans use.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/remembered.h"
#include "search/layout.h"
#include "workload/sample_cache.h"

namespace spillway {

// Several threads may call it.
class StageLayers {
 public:
  StageLayers(const PlanJob& job, SampleCache& samples) : job_(job), samples_(samples) {}

  // Returns experiment_of(job, layout) with the number of layers of each stage, balanced as far as the
  // cluster's framework can express it.
  Experiment experiment_of(const PlanLayout& layout);

 private:
  static constexpr std::uint32_t kMicrobatches = 64;

  const std::vector<Seconds>& times(const PlanLayout& layout, Experiment experiment);

  const PlanJob& job_;
  SampleCache& samples_;
  // The keys are layouts in which members that do not matter are 0.
  Remembered<PlanLayout, std::vector<Seconds>> times_;
};

}  // namespace spillway
