// The devices of each rank of an order. Ranks may have different numbers of devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/modules.h"
#include "platform/platform.h"

namespace spillway {

class RankDevices {
 public:
  // Every rank has equally many.
  RankDevices(const DeviceGrid& grid);
  // For the unit of a job of modules. Contract: `unit` is the unit of `modules`.
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

// The devices of each module, as those of a job by itself. The modules with most devices per rank lie first,
// so that no group straddles a tier because of a smaller one before it. The result is in the modules' order.
std::vector<DeviceGrid> module_grids(std::span<const PlacedModule> modules);

// The devices of an outline; `members` for each rank if it has no modules.
RankDevices rank_devices(const Outline& outline, std::uint32_t members);

// A message between two ranks is cut into equal flows, as many as their devices' shares of it need. Between 2
// and 8 devices it is 8 flows; each of the 2 has 4.
std::uint32_t flows_between(const RankDevices& devices, RankId from, RankId to);

// The rate of a port: its stated rate, or that of the fastest pair over it if that is higher.
BytesPerSecond port_capacity(const Platform& platform, std::size_t port);
// The rate of the port between two devices, divided by `flows`. Contract: a != b.
BytesPerSecond share_of_port(const Platform& platform, DeviceId a, DeviceId b, std::uint32_t flows);

}  // namespace spillway
