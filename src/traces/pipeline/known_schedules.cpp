#include "traces/pipeline/known_schedules.h"

#include <numeric>

#include "traces/pipeline/stage_work.h"

namespace spillway {
namespace {

bool places_alike(Fold fold, const MeasuredPipeline& pipeline) {
  const std::uint32_t chunks = pipeline.stages / pipeline.ranks;
  for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint32_t stage = stage_of_chunk(fold, pipeline.ranks, chunk, rank);
      if (pipeline.placement.stage_rank[stage] != RankId(rank)) return false;
    }
  }
  return true;
}

std::string repeated(const std::string& word, std::uint32_t times) {
  std::string text = word;
  for (std::uint32_t i = 1; i < times; ++i) text += ',' + word;
  return text;
}

// Means over all passes of a stage, and over all transfers; nothing is known of activations.
Expectations mean_times(const MeasuredPipeline& pipeline) {
  Expectations expected;
  for (const StageMeans& means : stage_means(pipeline))
    expected.stages.push_back({means.forward, means.input_gradient, means.weight_gradient});
  const std::vector<Seconds> transfers = transfer_times(pipeline);
  const Seconds sum = std::accumulate(transfers.begin(), transfers.end(), Seconds());
  if (!transfers.empty()) expected.transfer = sum / static_cast<double>(transfers.size());
  return expected;
}

class Candidates {
 public:
  explicit Candidates(const MeasuredPipeline& pipeline)
      : pipeline_(pipeline), chunks_(pipeline.stages / pipeline.ranks) {}

  // Every skeleton that lays its stages so, in every group that it takes and with as many waves as there are
  // chunks for.
  void add(Fold fold) {
    for (const SkeletonKind kind : kEverySkeleton) {
      const SkeletonTraits& traits = traits_of(kind);
      if (traits.layout != Layout::Sharded || traits.fold != fold) continue;
      const Skeleton skeleton(kind, traits.chunks == kByWaves ? chunks_ / 2 : 0);
      const std::uint32_t usual = default_group(pipeline_.ranks, pipeline_.microbatches);
      const bool grouped = traits.weaving == Weaving::InGroups && chunks_ > 1;
      for (std::uint32_t group = usual; group <= (grouped ? pipeline_.microbatches : usual); ++group)
        add(skeleton, group);
    }
  }

  std::vector<KnownSchedule> all() && { return std::move(all_); }

 private:
  void add(const Skeleton& skeleton, std::uint32_t group) {
    if (!weaves(skeleton) && chunks_of(skeleton) != chunks_) return;
    RunShape shape{pipeline_.ranks, pipeline_.microbatches, chunks_, group};
    if (!check_shape(skeleton, shape).empty()) return;
    if (plans(skeleton) && !pipeline_.steps.front().passes.front().front().weight) return;
    const std::uint32_t regions = weaves(skeleton) ? chunks_ : 1;
    all_.push_back({repeated(to_string(skeleton), regions), skeleton, shape});
    if (!plans(skeleton)) return;
    shape.expected = mean_times(pipeline_);
    all_.push_back({to_string(skeleton), skeleton, std::move(shape)});
  }

  const MeasuredPipeline& pipeline_;
  std::uint32_t chunks_;
  std::vector<KnownSchedule> all_;
};

}  // namespace

std::vector<KnownSchedule> known_schedules(const MeasuredPipeline& pipeline) {
  if (pipeline.stages % pipeline.ranks != 0) return {};
  Candidates candidates(pipeline);
  for (const Fold fold : {Fold::Straight, Fold::Reflected})
    if (places_alike(fold, pipeline)) candidates.add(fold);
  return std::move(candidates).all();
}

}  // namespace spillway
