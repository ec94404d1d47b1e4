// Indices that cannot be mixed up. All count from 0; only microbatches print from 1, as in the paper.
#pragma once

#include <compare>
#include <cstdint>

namespace spillway {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  explicit constexpr Id(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = 0;
};

using RegionId = Id<struct RegionTag>;          // position in the schedule, input to loss
using RankId = Id<struct RankTag>;              // pipeline rank
using StageId = Id<struct StageTag>;            // a region's slab on one rank
using MicrobatchId = Id<struct MicrobatchTag>;  // prints as index + 1
using ReplicaId = Id<struct ReplicaTag>;        // data-parallel replica
using EventId = Id<struct EventTag>;            // numbered in a topological order
using DeviceId = Id<struct DeviceTag>;          // a die or GPU of the platform

}  // namespace spillway
