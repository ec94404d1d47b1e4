#include "evaluate/workload_use.h"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

constexpr double kMost = 0.5;

// The sequence is the tighter limit if there is one, unless fewer patches fill it.
bool patches_limit(const WorkloadSpec& spec) {
  return spec.packing == Packing::Unpacked ||
         spec.max_patches / spec.patches.patches_per_token < spec.sequence_tokens;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * share);
  return text;
}

std::string some_of(std::uint64_t part, std::uint64_t all, const char* things) {
  return std::to_string(part) + " of " + std::to_string(all) + ' ' + things;
}

}  // namespace

std::string losses_text(const WorkloadTally& tally) {
  const std::uint64_t clips = tally.clips + tally.dropped_clips;
  const std::string of_audio = clips > 0 ? ", " + some_of(tally.dropped_clips, clips, "clips of audio") : "";
  return some_of(tally.dropped_images, tally.images + tally.dropped_images, "images") + of_audio + " and " +
         percent(tally.dropped_token_share()) + " of the tokens";
}

WorkloadTally WorkloadUse::all() const {
  WorkloadTally all;
  for (const WorkloadTally& draw : draws) all += draw;
  return all;
}

std::vector<WorkloadUse> workload_uses(const DrawCosts& costs) {
  const Experiment& experiment = costs.experiment();
  const std::uint32_t different = different_draws(experiment);
  std::vector<WorkloadUse> uses;
  for (const PlacedWorkload& workload : workloads(experiment)) {
    const bool patches = patches_limit(workload.spec);
    uses.push_back({workload.pointer,
                    patches ? "max_patches" : "sequence_tokens",
                    patches ? workload.spec.max_patches : workload.spec.sequence_tokens,
                    {}});
    for (std::uint32_t draw = 0; draw < different; ++draw)
      uses.back().draws.push_back(costs.tallies(draw)[uses.size() - 1]);
    uses.back().draws.resize(experiment.draws, uses.back().draws.front());
  }
  return uses;
}

std::vector<WorkloadUse> held_to_losses(std::vector<WorkloadUse> uses) {
  std::vector<Violation> violations;
  for (const WorkloadUse& use : uses) {
    const WorkloadTally tally = use.all();
    if (tally.dropped_image_share() <= kMost && tally.dropped_token_share() <= kMost) continue;
    violations.push_back({"", use.pointer + '/' + use.limit,
                          "room for at least half of the images and of the tokens that samples have",
                          std::to_string(use.limit_value) + ", which drops " + losses_text(tally)});
  }
  if (!violations.empty()) throw InputError(std::move(violations));
  return uses;
}

}  // namespace spillway
