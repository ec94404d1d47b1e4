#include "traces/pipeline/stage_work.h"

#include <cmath>

#include "base/error.h"
#include "traces/files/median.h"

namespace spillway {
namespace {

StageMeans times_of(const MeasuredPasses& passes) {
  if (passes.weight) return {passes.forward.length(), passes.backward.length(), passes.weight->length()};
  const Seconds half = passes.backward.length() / 2;
  return {passes.forward.length(), half, half};
}

StageMeans mean(const MeasuredPipeline& pipeline, std::size_t stage) {
  StageMeans sum;
  for (const MeasuredStep& step : pipeline.steps) {
    for (const MeasuredPasses& passes : step.passes[stage]) {
      const StageMeans times = times_of(passes);
      sum.forward += times.forward;
      sum.input_gradient += times.input_gradient;
      sum.weight_gradient += times.weight_gradient;
    }
  }
  const double count = static_cast<double>(pipeline.steps.size()) * pipeline.microbatches;
  return {sum.forward / count, sum.input_gradient / count, sum.weight_gradient / count};
}

double against(Seconds time, Seconds mean) {
  return mean == Seconds() ? 1 : std::round(time / mean * 1e6) / 1e6;
}

void add_times(const std::vector<std::vector<MeasuredTransfer>>& transfers,
               const std::vector<RankId>& stage_rank, std::vector<Seconds>& times) {
  for (std::size_t stage = 0; stage + 1 < stage_rank.size() && stage < transfers.size(); ++stage) {
    if (stage_rank[stage] == stage_rank[stage + 1]) continue;
    for (const MeasuredTransfer& transfer : transfers[stage])
      if (const auto time = transfer.time()) times.push_back(*time);
  }
}

}  // namespace

std::vector<StageMeans> stage_means(const MeasuredPipeline& pipeline) {
  ensure(!pipeline.steps.empty() && pipeline.microbatches > 0, "a measured pipeline has a whole step");
  std::vector<StageMeans> means;
  for (std::size_t stage = 0; stage < pipeline.stages; ++stage) means.push_back(mean(pipeline, stage));
  return means;
}

MeasuredWork measured_work(const MeasuredPipeline& pipeline, std::size_t stage, const StageMeans& means) {
  MeasuredWork work;
  const MeasuredStep* before = nullptr;
  for (const MeasuredStep& step : pipeline.steps) {
    if (!before || before->step != step.step) work.emplace_back();
    before = &step;
    std::vector<PassFactors>& factors = work.back().emplace_back();
    for (const MeasuredPasses& passes : step.passes[stage]) {
      const StageMeans times = times_of(passes);
      factors.push_back({against(times.forward, means.forward), against(times.backward(), means.backward())});
    }
  }
  return work;
}

std::vector<Seconds> transfer_times(const MeasuredPipeline& pipeline) {
  std::vector<Seconds> times;
  for (const MeasuredStep& step : pipeline.steps) {
    add_times(step.activations, pipeline.placement.stage_rank, times);
    add_times(step.gradients, pipeline.placement.stage_rank, times);
  }
  return times;
}

std::optional<Seconds> median_transfer(const MeasuredPipeline& pipeline) {
  const std::vector<Seconds> times = transfer_times(pipeline);
  return times.empty() ? std::nullopt : std::optional(upper_median(times));
}

bool splits_backward(const MeasuredPipeline& pipeline) {
  for (const MeasuredStep& step : pipeline.steps)
    for (const auto& stage : step.passes)
      for (const MeasuredPasses& passes : stage)
        if (passes.weight) return true;
  return false;
}

}  // namespace spillway
