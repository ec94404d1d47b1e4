#include "cost/image_draws.h"

#include <span>
#include <vector>

namespace spillway {
namespace {

std::vector<double> factors(std::span<const double> patches, double profile_patches) {
  std::vector<double> factors;
  factors.reserve(patches.size());
  for (double n : patches) factors.push_back(n / profile_patches);
  return factors;
}

}  // namespace

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

}  // namespace spillway
