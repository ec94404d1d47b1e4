// The passes of a measured pipeline by stage: their means, and each pass relative to its mean.
#pragma once

#include <optional>
#include <vector>

#include "base/quantity.h"
#include "cost/given.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// Mean times of one stage on one microbatch.
struct StageMeans {
  Seconds forward;
  Seconds input_gradient;
  Seconds weight_gradient;

  Seconds backward() const { return input_gradient + weight_gradient; }
};

// Means over all steps and microbatches, by stage. Half of a whole backward counts for each gradient.
std::vector<StageMeans> stage_means(const MeasuredPipeline& pipeline);

// Returns each microbatch of each step relative to the means of its stage. Factors are rounded to six
// decimals, which is finer than any clock. A factor is 1 if the mean is zero.
MeasuredWork measured_work(const MeasuredPipeline& pipeline, std::size_t stage, const StageMeans& means);

// The times of the transfers between different ranks, step by step. Transfers with only one side are left
// out.
std::vector<Seconds> transfer_times(const MeasuredPipeline& pipeline);

// The median of these times, or nothing if there are none.
std::optional<Seconds> median_transfer(const MeasuredPipeline& pipeline);

// Returns true if the trace splits any backward in two.
bool splits_backward(const MeasuredPipeline& pipeline);

}  // namespace spillway
