// The passes of a measured pipeline, stage by stage: their means, and each against its mean.
#pragma once

#include <optional>
#include <vector>

#include "base/quantity.h"
#include "cost/given.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// Of one stage and microbatch.
struct StageMeans {
  Seconds forward;
  Seconds input_gradient;
  Seconds weight_gradient;

  Seconds backward() const { return input_gradient + weight_gradient; }
};

// Over all steps and microbatches, by stage. Whole backwards count half for each gradient.
std::vector<StageMeans> stage_means(const MeasuredPipeline& pipeline);

// Each microbatch of each step against the means of its stage, to six decimals, which is finer than any
// clock; 1 where the mean is zero.
MeasuredWork measured_work(const MeasuredPipeline& pipeline, std::size_t stage, const StageMeans& means);

// Of the transfers between different ranks whose time is certain, step by step.
std::vector<Seconds> transfer_times(const MeasuredPipeline& pipeline);

// Their median; none where there is none.
std::optional<Seconds> median_transfer(const MeasuredPipeline& pipeline);

// Is any backward of the trace split in two?
bool splits_backward(const MeasuredPipeline& pipeline);

}  // namespace spillway
