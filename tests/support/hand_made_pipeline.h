// Hand-made measured pipelines: one stage per rank, whole backwards, no transfers.
#pragma once

#include <cstdint>
#include <functional>

#include "traces/pipeline/pipeline.h"

namespace spillway::testing {

// Returns the seconds of a pass of `stage` on `microbatch`; `step` counts over steps and replicas.
using PassTime = std::function<double(std::uint32_t stage, std::uint32_t step, std::uint32_t microbatch)>;

// Every step belongs to replica 0 of `replicas`. The passes of a stage follow one another; only their
// durations have a meaning.
inline MeasuredPipeline hand_made_pipeline(std::uint32_t ranks, std::uint32_t microbatches,
                                           std::uint32_t steps, const PassTime& forward,
                                           const PassTime& backward, std::uint32_t replicas = 1) {
  MeasuredPipeline pipeline{ranks, ranks, microbatches, replicas, {}, {}, {}, {}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) pipeline.placement.stage_rank.emplace_back(rank);
  for (std::uint32_t index = 0; index < steps; ++index) {
    MeasuredStep& step = pipeline.steps.emplace_back();
    step.step = index;
    step.passes.resize(ranks);
    for (std::uint32_t stage = 0; stage < ranks; ++stage) {
      Seconds now;
      for (std::uint32_t m = 0; m < microbatches; ++m) {
        const Seconds middle = now + Seconds(forward(stage, index, m));
        const Seconds end = middle + Seconds(backward(stage, index, m));
        step.passes[stage].push_back({{now, middle}, {middle, end}, {}});
        now = end;
      }
    }
  }
  return pipeline;
}

}  // namespace spillway::testing
