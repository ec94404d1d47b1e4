#include "draws/schedule_facts.h"

#include <algorithm>
#include <functional>

#include "draws/costs.h"
#include "draws/given_draws.h"

namespace spillway {
namespace {

bool moves_among_replicas(const Regrouping& regrouping, std::uint32_t replicas) {
  switch (regrouping.rule) {
    case Regrouping::Rule::AsDrawn:
    case Regrouping::Rule::Pooled:
      return false;
    case Regrouping::Rule::DealtAndPooled:
      return replicas > 1;
    case Regrouping::Rule::EachPhase:
    case Regrouping::Rule::Stratified:
    case Regrouping::Rule::Deferred:
    case Regrouping::Rule::Spread:
      return (regrouping.together > 0 ? regrouping.together : replicas) > 1;
  }
  throw ContractBreach("unknown rule of samples that move");
}

// Images that are encoded at once (Pooled) are pooled as they come, so their sizes do not matter.
bool knows_draw(const ScheduleSpec& schedule) {
  return schedule.owner_from_draw || schedule.order != MicrobatchOrder::AsSampled ||
         (schedule.regrouping.rule != Regrouping::Rule::AsDrawn &&
          schedule.regrouping.rule != Regrouping::Rule::Pooled);
}

std::uint32_t chunks_of(const ScheduleSpec& schedule, std::uint32_t ranks) {
  if (const std::uint32_t segments = schedule.segments.segments(); segments > 0) return segments;
  std::uint32_t chunks = 0;
  for (const Skeleton& skeleton : schedule.schedule.skeletons) {
    if (layout_of(skeleton) != Layout::Sharded) continue;
    const std::uint64_t stages = is_listed(skeleton) ? (stage_count(skeleton, ranks) + ranks - 1) / ranks
                                                     : spillway::chunks_of(skeleton);
    chunks += static_cast<std::uint32_t>(stages);
  }
  const std::size_t fronts = schedule.modules.empty() ? 0 : schedule.modules.size() - 1;  // a region each
  return chunks - static_cast<std::uint32_t>(fronts);
}

bool sizes_differ(const std::vector<std::vector<double>>& work) {
  return std::any_of(work.begin(), work.end(), [](const std::vector<double>& factors) {
    return std::adjacent_find(factors.begin(), factors.end(), std::not_equal_to<>()) != factors.end();
  });
}

bool states_sizes(const JobCosts& costs) {
  const auto* given = std::get_if<GivenCosts>(&costs);
  return given && !is_drawn(*given) &&
         std::any_of(given->blocks.begin(), given->blocks.end(), [](const BlockProfile& block) {
           return sizes_differ(block.work) || sizes_differ(block.backward_work);
         });
}

// Ranks and microbatches of an interleaved pipeline.
struct Interleaved {
  std::uint32_t ranks, microbatches;
};

std::size_t interleaved_regions(const Schedule& schedule) {
  return static_cast<std::size_t>(std::ranges::count_if(schedule.skeletons, [](const Skeleton& skeleton) {
    return traits_of(skeleton).weaving == Weaving::InGroups;
  }));
}

// Only the last module may be interleaved.
std::optional<Interleaved> interleaved(const ScheduleSpec& schedule, const Pipeline& job) {
  const auto [ranks, microbatches, replicas] = job;
  if (schedule.segments.segments() > 1) return Interleaved{ranks, microbatches};
  const std::size_t fronts = schedule.modules.empty() ? 0 : schedule.modules.size() - 1;
  if (interleaved_regions(schedule.schedule) < fronts + 2) return std::nullopt;
  if (schedule.modules.empty()) return Interleaved{ranks, microbatches};
  const PlacedModule& last = schedule.modules.back();
  return Interleaved{last.ranks, microbatches * replicas / last.replicas};
}

}  // namespace

bool plans_on_stated_sizes(const ScheduleSpec& schedule, const JobCosts& costs) {
  const InputPasses passes = schedule.input.passes;
  const bool placed = passes == InputPasses::Enclosing || passes == InputPasses::InGaps;
  const bool looks = placed && schedule.looks_at_sizes();
  return (looks || schedule.order != MicrobatchOrder::AsSampled) && states_sizes(costs);
}

Terms terms_of(const ScheduleSpec& schedule, const Pipeline& job, const JobCosts& costs) {
  return {moves_among_replicas(schedule.regrouping, job.replicas),
          (is_drawn(costs) && knows_draw(schedule)) || plans_on_stated_sizes(schedule, costs),
          chunks_of(schedule, job.ranks)};
}

std::optional<std::string> describe_groups(const ScheduleSpec& schedule, const Pipeline& job) {
  const auto one = interleaved(schedule, job);
  if (!one || schedule.microbatch_group > 0) return std::nullopt;
  const std::uint32_t group = default_group(one->ranks, one->microbatches);
  if (group == one->ranks) return std::nullopt;
  const std::string ranks = std::to_string(one->ranks), all = std::to_string(one->microbatches);
  if (one->microbatches < one->ranks)
    return "all " + all + " microbatches form one group, as in PyTorch, since they are fewer than the " +
           ranks + " ranks; Megatron refuses this";
  return "microbatches are interleaved in groups of " + std::to_string(group) + ", since " + ranks +
         " ranks do not divide " + all + "; Megatron does so only if its group size is set";
}

}  // namespace spillway
