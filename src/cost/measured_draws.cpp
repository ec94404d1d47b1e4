#include "cost/measured_draws.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"

namespace spillway {
namespace {

// What each microbatch of one replica is, of what was measured.
struct Picked {
  std::size_t measured_case;
  std::vector<std::size_t> microbatches;
};

// Below `count`. The generator and its seeding are fixed to the bit by the C++ standard, the standard's own
// distributions are not.
std::size_t pick(std::mt19937_64& random, std::size_t count) {
  const double uniform = static_cast<double>(random() >> 11) * 0x1.0p-53;
  return std::min(static_cast<std::size_t>(uniform * static_cast<double>(count)), count - 1);
}

Picked pick_replica(const MeasuredWork& measured, std::uint32_t microbatches, std::seed_seq seeds) {
  std::mt19937_64 random(seeds);
  Picked picked{pick(random, measured.size()), std::vector<std::size_t>(microbatches)};
  const std::size_t of = measured[picked.measured_case].size();
  if (microbatches == of) {
    std::iota(picked.microbatches.begin(), picked.microbatches.end(), std::size_t{0});
  } else {
    for (std::size_t& microbatch : picked.microbatches) microbatch = pick(random, of);
  }
  return picked;
}

void add_replica(BlockProfile& block, const Picked& picked) {
  const std::vector<PassFactors>& measured = block.measured_work[picked.measured_case];
  std::vector<double>& forward = block.work.emplace_back();
  std::vector<double>& backward = block.backward_work.emplace_back();
  for (std::size_t microbatch : picked.microbatches) {
    forward.push_back(measured[microbatch].forward);
    backward.push_back(measured[microbatch].backward);
  }
}

bool has_measured_work(const BlockProfile& block) {
  return !block.measured_work.empty();
}

}  // namespace

bool is_drawn(const GivenCosts& costs) {
  return std::any_of(costs.blocks.begin(), costs.blocks.end(), has_measured_work);
}

GivenCosts drawn(GivenCosts costs, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
                 std::uint32_t draw) {
  const auto first = std::find_if(costs.blocks.begin(), costs.blocks.end(), has_measured_work);
  ensure(first != costs.blocks.end(), "something was measured");
  for (BlockProfile& block : costs.blocks) {
    if (!has_measured_work(block)) continue;
    ensure(block.measured_work.size() == first->measured_work.size(), "blocks were measured together");
    block.work.clear();
    block.backward_work.clear();
  }
  for (std::uint32_t replica = 0; replica < replicas; ++replica) {
    const Picked picked = pick_replica(
        first->measured_work, microbatches,
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), draw, replica});
    for (BlockProfile& block : costs.blocks)
      if (has_measured_work(block)) add_replica(block, picked);
  }
  for (BlockProfile& block : costs.blocks) block.measured_work.clear();
  return costs;
}

}  // namespace spillway
