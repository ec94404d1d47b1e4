// Balanced stages of layouts. What layers take is the same for many of them: it is priced once, on so many
// microbatches of each draw that plans are made from.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/remembered.h"
#include "search/layout.h"
#include "workload/sample_cache.h"

namespace spillway {

// For several threads.
class StageLayers {
 public:
  StageLayers(const PlanJob& job, SampleCache& samples) : job_(job), samples_(samples) {}

  // experiment_of(job, layout) with the layers of its stages counted.
  Experiment experiment_of(const PlanLayout& layout);

 private:
  static constexpr std::uint32_t kMicrobatches = 64;

  const std::vector<Seconds>& times(const PlanLayout& layout, Experiment experiment);

  const PlanJob& job_;
  SampleCache& samples_;
  // By the layout, what they do not depend on left at 0.
  Remembered<PlanLayout, std::vector<Seconds>> times_;
};

}  // namespace spillway
