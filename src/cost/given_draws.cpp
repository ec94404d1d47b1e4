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

GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples) {
  draw_measured_work(costs, draw);
  draw_image_work(costs, draw, samples);
  return costs;
}

}  // namespace spillway
