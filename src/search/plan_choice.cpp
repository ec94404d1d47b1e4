#include "search/plan_choice.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spillway {
namespace {

constexpr std::array<std::string_view, 9> kFamilyWords = {
    "no pipeline", "1F1B",        "GPipe",    "interleaved 1F1B", "1F1B with overlapped exchanges",
    "waves",       "zero bubble", "DualPipe", "a listed order"};

PipelineFamily pipeline_of(const ShardedRun& run) {
  switch (run.skeleton.kind) {
    case SkeletonKind::OneFOneBOverlap:
      return PipelineFamily::Overlapped;
    case SkeletonKind::GPipe:
      return PipelineFamily::GPipe;
    case SkeletonKind::Wave:
      return PipelineFamily::Wave;
    case SkeletonKind::Listed:
      return PipelineFamily::Listed;
    default:
      break;
  }
  if (splits_backward(run.skeleton))
    return fuses(run.skeleton) ? PipelineFamily::DualPipe : PipelineFamily::ZeroBubble;
  return run.end - run.first > 1 ? PipelineFamily::Interleaved : PipelineFamily::OneFOneB;
}

// The least simple of its pipelines.
PipelineFamily pipeline_of(const Schedule& schedule) {
  PipelineFamily family = PipelineFamily::None;
  for (const ShardedRun& run : sharded_runs(schedule)) family = std::max(family, pipeline_of(run));
  return family;
}

// Of those that have pipelines.
bool is_in_every_framework(PipelineFamily family) {
  return family == PipelineFamily::OneFOneB || family == PipelineFamily::GPipe ||
         family == PipelineFamily::Interleaved;
}

std::vector<std::size_t> firsts_as_stated(const std::vector<JobCluster>& clusters) {
  std::vector<std::size_t> firsts;
  for (const JobCluster& cluster : clusters) {
    const auto first = std::ranges::find(clusters, cluster.stated, &JobCluster::stated);
    firsts.push_back(static_cast<std::size_t>(first - clusters.begin()));
  }
  return firsts;
}

// On one rank, an encoder before the pipeline is no choice of its own: who computes what is the same.
ScheduleFamily decided_family(const ScheduleChoice& choice, std::uint32_t ranks) {
  const ScheduleFamily family = family_of(choice, ranks);
  return ranks == 1 && family.pipeline == PipelineFamily::None ? ScheduleFamily{"", false, family.pipeline}
                                                               : family;
}

std::vector<std::size_t> firsts_of_families(const std::vector<ScheduleChoice>& all, std::uint32_t ranks) {
  std::vector<std::size_t> firsts;
  for (const ScheduleChoice& choice : all) {
    const auto first = std::ranges::find_if(all, [&](const ScheduleChoice& one) {
      return decided_family(one, ranks) == decided_family(choice, ranks);
    });
    firsts.push_back(static_cast<std::size_t>(first - all.begin()));
  }
  return firsts;
}

}  // namespace

std::string family_text(const ScheduleFamily& family) {
  std::string text(family.system);
  if (family.transposed) text += (text.empty() ? "" : ", ") + std::string("transposed encoder");
  return text + (text.empty() ? "" : ", ") +
         std::string(kFamilyWords[static_cast<std::size_t>(family.pipeline)]);
}

// On one rank every pipeline of a plain model is the same.
ScheduleFamily family_of(const ScheduleChoice& choice, std::uint32_t ranks) {
  ScheduleFamily family{choice.system ? choice.system->system->name : std::string_view(),
                        transposes(choice.schedule), pipeline_of(choice.schedule)};
  if (ranks == 1 && family.pipeline != PipelineFamily::Overlapped) family.pipeline = PipelineFamily::None;
  return family;
}

PlanChoices::PlanChoices(const PlanJob& job)
    : first_(firsts_as_stated(job.clusters)),
      on_one_rank_(firsts_of_families(job.search.schedules, 1)),
      on_several_(firsts_of_families(job.search.schedules, 2)) {}

PlanLayout PlanChoices::of(PlanLayout layout) const {
  layout.cluster = first_[layout.cluster];
  layout.microbatches = layout.microbatch = 0;
  layout.data = DataParallel::Plain;
  layout.schedule = (layout.ranks == 1 ? on_one_rank_ : on_several_)[layout.schedule];
  return layout;
}

bool is_simpler(const PlanJob& job, const PlanLayout& one, const PlanLayout& other) {
  const auto simplicity = [&](const PlanLayout& layout) {
    ScheduleFamily family = family_of(job.search.schedules[layout.schedule], layout.ranks);
    if (is_in_every_framework(family.pipeline)) family.pipeline = PipelineFamily::OneFOneB;
    return std::pair(family, layout.context > 1);
  };
  return simplicity(one) < simplicity(other);
}

}  // namespace spillway
