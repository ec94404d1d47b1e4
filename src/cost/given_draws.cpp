#include "cost/given_draws.h"

#include <algorithm>

#include "cost/image_draws.h"
#include "cost/measured_draws.h"

namespace spillway {

bool is_drawn(const GivenCosts& costs) {
  return std::any_of(costs.blocks.begin(), costs.blocks.end(), [](const BlockProfile& block) {
    return has_measured_work(block) || block.image_work.has_value();
  });
}

GivenCosts drawn(GivenCosts costs, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
                 std::uint32_t draw, SampleCache& samples) {
  draw_measured_work(costs, microbatches, replicas, seed, draw);
  draw_image_work(costs, microbatches, replicas, seed, draw, samples);
  return costs;
}

}  // namespace spillway
