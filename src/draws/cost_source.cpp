#include "draws/cost_source.h"

namespace spillway {

JobSamples::JobSamples(const Experiment& experiment, SampleCache& cache)
    : job_(experiment.pipeline), seed_(experiment.seed), cache_(&cache) {}

DrawOf JobSamples::draw_of(std::uint32_t number) const {
  return {job_.microbatches, job_.replicas, seed_, number};
}

Draw JobSamples::first_of(const Draw& draw) const {
  Draw first;
  for (std::uint32_t replica = 0; replica < job_.replicas; ++replica)
    first.emplace_back(draw[replica].begin(), draw[replica].begin() + job_.microbatches);
  return first;
}

std::shared_ptr<const SampledDraw> JobSamples::of(const std::shared_ptr<const WorkloadSpec>& workload,
                                                  const DrawKey& key) const {
  const DrawOf draw = draw_of(key.second);
  const Regrouping& to = key.first;
  if (to.rule == Regrouping::Rule::AsDrawn) return cache_->sample(workload, draw);
  const auto [rule, together, stride, dealt_to] =
      to;  // lists every member, so that a new one does not compile here
  const SampleCache::Making how{
      static_cast<std::uint32_t>(rule), together, stride, dealt_to, draw.replicas, draw.microbatches};
  return cache_->made(workload, draw, how, [&] {
    return regrouped_draw(to, first_of(cache_->sample(workload, draw)->loads), workload->packing);
  });
}

}  // namespace spillway
