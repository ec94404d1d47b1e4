#include "cost/reduction.h"

#include "cost/collectives.h"
#include "cost/conventions.h"

namespace spillway {
namespace {

Transfer operator+(const Transfer& a, const Transfer& b) {
  return {a.alone + b.alone, a.payload + b.payload};
}

// `parameters` lie on each device of the group, the same ones.
Transfer over_copies(const AnalyticCosts& costs, const Ring& copies, double parameters) {
  if (copies.size < 2 || parameters == 0) return {};
  const double passed_on = static_cast<double>(copies.size - 1) / copies.size;
  const Bytes gradient = kGradient * parameters;
  if (costs.parallelism.data == DataParallel::Plain) {
    return {all_reduce(costs.platform, copies)(gradient), 2 * passed_on * gradient};
  }
  const Bytes weights = kElement * parameters;
  const Seconds alone =
      reduce_scatter(costs.platform, copies)(gradient) + all_gather(costs.platform, copies)(weights);
  return {alone, passed_on * (gradient + weights)};
}

// Members of one rank with the same parameters: each ends up with a share of the sum, and later gathers the
// rest.
Transfer inside_rank(const AnalyticCosts& costs, const DeviceGroup& members, double parameters) {
  if (members.size < 2 || parameters == 0) return {};
  const bool plain = costs.parallelism.data == DataParallel::Plain;
  const Bytes gathered = (plain ? kGradient : kElement) * parameters;
  return {reduce_scatter(costs.platform, members)(kGradient * parameters) +
              all_gather(costs.platform, members)(gathered),
          Bytes()};
}

}  // namespace

Transfer gradient_reduction(const AnalyticCosts& costs, const DeviceGrid& grid, const Holders& holders,
                            const StageParameters& parameters) {
  const DeviceId first = grid.device(holders.first, ReplicaId(0), 0);
  const std::uint32_t on_rank = grid.replicas * grid.members, expert = costs.parallelism.expert;
  const double members = grid.members;
  // The devices with the same parameters where `width` neighbours share them out.
  const auto copies = [&](std::uint32_t width) {
    const DeviceId last(grid.device(holders.last, ReplicaId(0), 0).index() + on_rank - width);
    return Ring(first, last, holders.ranks * on_rank / width);
  };
  return inside_rank(costs, {first, grid.members}, parameters.member) +
         over_copies(costs, copies(grid.members), (parameters.tensor + parameters.member) / members) +
         over_copies(costs, copies(expert), parameters.expert / expert);
}

}  // namespace spillway
