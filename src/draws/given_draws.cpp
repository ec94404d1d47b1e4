#include "draws/given_draws.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "workload/random_stream.h"

namespace spillway {
namespace {

bool has_measured_work(const BlockProfile& block) {
  return !block.measured_work.empty();
}

struct Case {
  std::size_t step;
  std::size_t replica;
};

// The measured microbatches that one replica runs.
struct Picked {
  Case from;
  std::vector<std::size_t> microbatches;
};

// Draws an index below `count`.
std::size_t pick(RandomStream& random, std::size_t count) {
  return std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(count)), count - 1);
}

// One draw of cases and microbatches, for each replica.
class Picks {
 public:
  Picks(const MeasuredWork& measured, const DrawOf& draw)
      : measured_(measured),
        low_(static_cast<std::uint32_t>(draw.seed)),
        high_(static_cast<std::uint32_t>(draw.seed >> 32)),
        draw_(draw) {
    std::size_t most = 0;
    for (const auto& replicas : measured) most = std::max(most, replicas.size());
    for (std::size_t step = 0; step < measured.size(); ++step) {
      if (measured[step].size() == most) whole_steps_.push_back(step);
      for (std::size_t replica = 0; replica < measured[step].size(); ++replica)
        cases_.push_back({step, replica});
    }
  }

  Picked of(std::uint32_t replica) const {
    RandomStream random({low_, high_, draw_.number, replica});
    const bool together = draw_.replicas == measured_[whole_steps_.front()].size();
    const Case from = together ? Case{step(), replica} : cases_[pick(random, cases_.size())];
    Picked picked{from, std::vector<std::size_t>(draw_.microbatches)};
    const std::size_t measured = measured_[from.step][from.replica].size();
    if (draw_.microbatches == measured) {
      std::iota(picked.microbatches.begin(), picked.microbatches.end(), std::size_t{0});
    } else {
      for (std::size_t& microbatch : picked.microbatches) microbatch = pick(random, measured);
    }
    return picked;
  }

 private:
  // Every replica takes the same step.
  std::size_t step() const {
    RandomStream random({low_, high_, draw_.number});
    return whole_steps_[pick(random, whole_steps_.size())];
  }

  const MeasuredWork& measured_;
  std::uint32_t low_, high_;  // halves of the seed
  DrawOf draw_;
  std::vector<std::size_t> whole_steps_;  // those with the most replicas
  std::vector<Case> cases_;
};

void add_replica(BlockProfile& block, const Picked& picked) {
  const std::vector<PassFactors>& measured = block.measured_work[picked.from.step][picked.from.replica];
  std::vector<double>& forward = block.work.emplace_back();
  std::vector<double>& backward = block.backward_work.emplace_back();
  for (std::size_t microbatch : picked.microbatches) {
    forward.push_back(measured[microbatch].forward);
    backward.push_back(measured[microbatch].backward);
  }
}

std::vector<double> factors(std::span<const double> patches, double profile_patches) {
  std::vector<double> factors;
  factors.reserve(patches.size());
  for (double n : patches) factors.push_back(n / profile_patches);
  return factors;
}

// Sets `work` of the blocks that have image_work from it, and removes image_work.
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

void draw_measured_work(GivenCosts& costs, const DrawOf& draw) {
  const auto first = std::find_if(costs.blocks.begin(), costs.blocks.end(), has_measured_work);
  if (first == costs.blocks.end()) return;
  const Picks picks(first->measured_work, draw);
  for (BlockProfile& block : costs.blocks) {
    if (!has_measured_work(block)) continue;
    ensure(block.measured_work.size() == first->measured_work.size(), "blocks were measured together");
    block.work.clear();
    block.backward_work.clear();
    for (std::uint32_t replica = 0; replica < draw.replicas; ++replica) add_replica(block, picks.of(replica));
  }
  for (BlockProfile& block : costs.blocks) block.measured_work.clear();
}

GivenCosts drawn(GivenCosts costs, const DrawOf& draw, SampleCache& samples) {
  draw_measured_work(costs, draw);
  draw_image_work(costs, draw, samples);
  return costs;
}

}  // namespace spillway
