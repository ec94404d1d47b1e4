#include "cost/reduction.h"

#include <algorithm>

#include "cost/collectives.h"
#include "cost/conventions.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

Transfer operator+(const Transfer& a, const Transfer& b) {
  return {a.alone + b.alone, a.payload + b.payload};
}

Seconds seconds(const AnalyticCosts& costs, CollectiveOperation operation, const DeviceGroup& group,
                Bytes n) {
  return collective_time(costs.platform, operation, group)(n).time;
}

// A collective over many devices has several rings or stages side by side, and each device's port to the
// outer tier carries only its part: no more than goes through it in the time the collective takes.
Transfer through_one_port(const Platform& platform, const DeviceGroup& copies, Seconds alone,
                          Bytes passed_on) {
  const DeviceId last = copies.device(copies.device_count() - 1);
  return {alone, std::min(passed_on, alone * tier_between(platform, copies.first, last).bandwidth.value)};
}

// `parameters` lie on each device of the group, the same ones. ZeRO-2 has scattered their gradients when the
// step ends; ZeRO-3 gathers parameters when it needs them.
Transfer over_copies(const AnalyticCosts& costs, const DeviceGroup& copies, double parameters,
                     DataParallel data) {
  if (copies.device_count() < 2 || parameters == 0 || data == DataParallel::Zero3) return {};
  const double size = copies.device_count(), passed_on = (size - 1) / size;
  const Bytes gradient = kGradient * parameters;
  if (data == DataParallel::Plain)
    return through_one_port(costs.platform, copies, seconds(costs, AllReduce, copies, gradient),
                            2 * passed_on * gradient);
  const Bytes weights = kElement * parameters;
  const Transfer gathered = through_one_port(costs.platform, copies,
                                             seconds(costs, AllGather, copies, weights), passed_on * weights);
  if (data == DataParallel::Zero2) return gathered;
  return through_one_port(costs.platform, copies, seconds(costs, ReduceScatter, copies, gradient),
                          passed_on * gradient) +
         gathered;
}

// Members of one rank with the same parameters: each ends up with a share of the sum, and later gathers the
// rest.
Transfer inside_rank(const AnalyticCosts& costs, const DeviceGroup& members, double parameters) {
  if (members.size < 2 || parameters == 0) return {};
  const bool plain = costs.parallelism.data == DataParallel::Plain;
  const Bytes gathered = (plain ? kGradient : kElement) * parameters;
  return {seconds(costs, ReduceScatter, members, kGradient * parameters) +
              seconds(costs, AllGather, members, gathered),
          Bytes()};
}

}  // namespace

Transfer gradient_reduction(const AnalyticCosts& costs, const DeviceGrid& grid, const Holders& holders,
                            const StageParameters& parameters) {
  const RankId nearest = std::min(holders.first, holders.last),
               farthest = std::max(holders.first, holders.last);
  const DeviceId first = grid.device(nearest, ReplicaId(0), 0);
  const std::uint32_t on_rank = grid.replicas * grid.members, expert = costs.parallelism.expert;
  const std::uint32_t ranks_apart =
      holders.ranks > 1 ? (farthest.index() - nearest.index()) / (holders.ranks - 1) : 0;
  const std::uint32_t tensor = costs.parallelism.tensor;
  const DataParallel data = costs.parallelism.data;
  // The devices with the same parameters where `width` neighbours share them out.
  const auto copies = [&](std::uint32_t width) {
    return DeviceGroup{first, on_rank / width, width, holders.ranks, ranks_apart * on_rank};
  };
  const DataParallel encoder = data == DataParallel::Plain ? data : DataParallel::Zero1;
  return inside_rank(costs, {first, grid.members}, parameters.member) +
         over_copies(costs, copies(grid.members), parameters.member / grid.members, encoder) +
         over_copies(costs, copies(tensor), parameters.tensor / tensor, data) +
         over_copies(costs, copies(expert), parameters.expert / expert, data);
}

}  // namespace spillway
