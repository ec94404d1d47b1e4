#include "cost/network/stage_groups.h"

#include <set>
#include <utility>

#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

class Layouts {
 public:
  explicit Layouts(const Platform& platform) : platform_(platform) {}

  void add(const DeviceGroup& group) {
    if (group.device_count() < 2) return;
    if (known_.insert(place_in_tiers(platform_, group)).second) groups_.push_back(group);
  }
  std::vector<DeviceGroup> take() { return std::move(groups_); }

 private:
  const Platform& platform_;
  std::set<PlaceInTiers> known_;
  std::vector<DeviceGroup> groups_;
};

std::uint32_t first_device(const DeviceGrid& grid, RankId rank) {
  return grid.device(rank, ReplicaId(0), 0).index();
}
std::uint32_t devices_of_stage(const DeviceGrid& grid) {
  return grid.replicas * grid.members;
}

}  // namespace

std::vector<DeviceGroup> adjacent_groups(const Platform& platform, const DeviceGrid& grid, RankId rank,
                                         std::uint32_t size) {
  Layouts layouts(platform);
  for (std::uint32_t at = 0; at < devices_of_stage(grid); at += size)
    layouts.add({DeviceId(first_device(grid, rank) + at), size});
  return layouts.take();
}

std::vector<DeviceGroup> strided_groups(const Platform& platform, const DeviceGrid& grid, RankId rank,
                                        std::uint32_t stride) {
  Layouts layouts(platform);
  for (std::uint32_t at = 0; at < stride; ++at)
    layouts.add({DeviceId(first_device(grid, rank) + at), devices_of_stage(grid) / stride, stride});
  return layouts.take();
}

std::vector<DeviceGroup> blocked_groups(const Platform& platform, const DeviceGrid& grid, RankId rank,
                                        std::uint32_t stride, std::uint32_t block) {
  Layouts layouts(platform);
  for (std::uint32_t from = 0; from < devices_of_stage(grid); from += block)
    for (std::uint32_t at = 0; at < stride; ++at)
      layouts.add({DeviceId(first_device(grid, rank) + from + at), block / stride, stride});
  return layouts.take();
}

std::vector<DeviceGroup> context_groups(const Platform& platform, const DeviceGrid& grid, RankId rank,
                                        const Parallelism& parallelism) {
  Layouts layouts(platform);
  for (std::uint32_t at = 0; at < devices_of_stage(grid); at += grid.members)
    layouts.add({DeviceId(first_device(grid, rank) + at), parallelism.context, parallelism.tensor});
  return layouts.take();
}

std::vector<DeviceGroup> context_neighbours(const Platform& platform, const DeviceGrid& grid, RankId rank,
                                            const Parallelism& parallelism) {
  Layouts layouts(platform);
  const std::uint32_t tensor = parallelism.tensor, context = parallelism.context;
  if (context < 2) return {};
  for (std::uint32_t ring = 0; ring < devices_of_stage(grid); ring += grid.members) {
    const DeviceId first(first_device(grid, rank) + ring);
    for (std::uint32_t i = 0; i + 1 < context; ++i)
      layouts.add({DeviceId(first.index() + i * tensor), 2, tensor});
    layouts.add({first, 2, (context - 1) * tensor});
  }
  return layouts.take();
}

}  // namespace spillway
