#include "cost/given_draws.h"

#include <algorithm>
#include <span>
#include <vector>

#include "cost/measured_draws.h"

namespace spillway {
namespace {

std::vector<double> factors(std::span<const double> patches, double profile_patches) {
  std::vector<double> factors;
  factors.reserve(patches.size());
  for (double n : patches) factors.push_back(n / profile_patches);
  return factors;
}

// Takes `work` of the blocks that have image_work from it, and leaves none to draw.
void draw_image_work(GivenCosts& costs, const DrawOf& draw, SampleCache& samples) {
  for (BlockProfile& block : costs.blocks) {
    if (!block.image_work) continue;
    const auto sampled = samples.sample(block.image_work->workload, draw);
    block.work.clear();
    for (std::uint32_t replica = 0; replica < draw.replicas; ++replica) {
      const std::span<const double> patches = sampled->patches[replica];
      block.work.push_back(factors(patches.first(draw.microbatches), block.image_work->profile_patches));
    }
    block.image_work.reset();
  }
}

}  // namespace

bool is_drawn(const GivenCosts& costs) {
  return std::any_of(costs.blocks.begin(), costs.blocks.end(), [](const BlockProfile& block) {
    return has_measured_work(block) || block.image_work.has_value();
  });
}

GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples) {
  draw_measured_work(costs, draw);
  draw_image_work(costs, draw, samples);
  return costs;
}

}  // namespace spillway
