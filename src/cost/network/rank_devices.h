// Which devices a rank of an order has, where ranks may have different numbers of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/modules.h"
#include "platform/platform.h"

namespace spillway {

class RankDevices {
 public:
  // As many for every rank.
  RankDevices(const DeviceGrid& grid);
  // Of the unit of a job of modules. Contract: `unit` is its unit.
  RankDevices(std::span<const PlacedModule> modules, const Pipeline& unit);

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(of_rank_.size()); }
  std::uint32_t members(RankId rank) const { return of_rank_[rank.index()].members; }
  DeviceId device(RankId rank, ReplicaId replica, std::uint32_t member) const {
    const OfRank& own = of_rank_[rank.index()];
    return DeviceId(own.first + replica.index() * own.apart + member);
  }
  friend bool operator==(const RankDevices&, const RankDevices&) = default;

 private:
  struct OfRank {
    std::uint32_t first;  // of replica 0
    std::uint32_t apart;  // from replica to replica
    std::uint32_t members;
    friend bool operator==(const OfRank&, const OfRank&) = default;
  };
  std::vector<OfRank> of_rank_;
};

// Each module's devices as those of a job of its own: the modules with most devices a rank first, so that no
// group straddles a tier for a smaller one before it. In the modules' order.
std::vector<DeviceGrid> module_grids(std::span<const PlacedModule> modules);

// Those of an outline; `members` for each rank where it has no modules.
RankDevices rank_devices(const Outline& outline, std::uint32_t members);

// A message between two ranks is as many flows, each as large, as their devices' shares of it make: of 2 and
// 8 devices 8, of which every sender has 4.
std::uint32_t flows_between(const RankDevices& devices, RankId from, RankId to);

// The rate of a port: that of the fastest pair over it, if that is faster than the port is said to be.
BytesPerSecond port_capacity(const Platform& platform, std::size_t port);
// The rate of the port between two devices, shared by so many flows. Contract: a != b.
BytesPerSecond share_of_port(const Platform& platform, DeviceId a, DeviceId b, std::uint32_t flows);

}  // namespace spillway
