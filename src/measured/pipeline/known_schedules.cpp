#include "measured/pipeline/known_schedules.h"

#include <numeric>

#include "measured/pipeline/stage_work.h"

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

  void straight() {
    add(SkeletonKind::OneFOneB);
    for (std::uint32_t group = pipeline_.ranks + 1; chunks_ > 1 && group <= pipeline_.microbatches; ++group)
      add(SkeletonKind::OneFOneB, group);
    add(SkeletonKind::GPipe);
    for (SkeletonKind kind : {SkeletonKind::ZbH1, SkeletonKind::ZbH2, SkeletonKind::Zb1p, SkeletonKind::Zb2p})
      add(kind);
  }

  void reflected() {
    for (SkeletonKind kind : {SkeletonKind::ZbV, SkeletonKind::VHalf, SkeletonKind::VMin}) add(kind);
    if (chunks_ % 2 == 0) add({SkeletonKind::Wave, chunks_ / 2});
    add(SkeletonKind::DualPipeV);
  }

  std::vector<KnownSchedule> all() && { return std::move(all_); }

 private:
  void add(Skeleton skeleton) { add(skeleton, default_group(pipeline_.ranks)); }

  void add(Skeleton skeleton, std::uint32_t group) {
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
  if (places_alike(Fold::Straight, pipeline)) candidates.straight();
  if (places_alike(Fold::Reflected, pipeline)) candidates.reflected();
  return std::move(candidates).all();
}

}  // namespace spillway
