// Collectives in the alpha-beta model, by tier: a group that spans a tier takes every step at that tier's
// latency and pair bandwidth. N devices, n bytes:
//   all-gather, reduce-scatter  N-1 ring steps of n/N              (N-1) (alpha + n/N beta)
//   all-reduce                  a reduce-scatter and an all-gather  2 (N-1) (alpha + n/N beta)
//   all-to-all                  N-1 pairwise exchanges of n/N, each over the tier between the two
// Thakur, Rabenseifner, Gropp 2005 (https://doi.org/10.1177/1094342005051521); HCCL uses ring and pairwise
// between servers. A group of one takes no time.
#pragma once

#include <cstdint>
#include <limits>

#include "base/id.h"
#include "base/quantity.h"
#include "platform/platform.h"

namespace spillway {

// first, first + stride, ..., `size` of them.
struct DeviceGroup {
  DeviceId first;
  std::uint32_t size;
  std::uint32_t stride = 1;

  DeviceId device(std::uint32_t i) const { return DeviceId(first.index() + i * stride); }
};

// What a ring has to be known by: how many devices, and two of them that are as far apart as any two.
struct Ring {
  DeviceId first;
  DeviceId last;
  std::uint32_t size;

  Ring(DeviceId one, DeviceId other, std::uint32_t devices) : first(one), last(other), size(devices) {}
  Ring(const DeviceGroup& group) : Ring(group.first, group.device(group.size - 1), group.size) {}
};

// A time affine in bytes. By default nothing takes no time.
struct AlphaBeta {
  Seconds alpha;
  BytesPerSecond rate{std::numeric_limits<double>::infinity()};

  Seconds operator()(Bytes n) const { return alpha + n / rate; }
};

// Of two, the one that takes longer for many bytes: the lower rate, or at the same rate the larger alpha.
inline AlphaBeta slower(const AlphaBeta& a, const AlphaBeta& b) {
  return b.rate < a.rate || (b.rate == a.rate && b.alpha > a.alpha) ? b : a;
}

// One message between two devices of a pair; none between a device and itself.
AlphaBeta point_to_point(const Platform& platform, DeviceId a, DeviceId b);

// n: the whole vector, gathered or before it is scattered.
AlphaBeta all_gather(const Platform& platform, const Ring& ring);
AlphaBeta reduce_scatter(const Platform& platform, const Ring& ring);
AlphaBeta all_reduce(const Platform& platform, const Ring& ring);

// n: what each device holds, an equal part for every device of the group, itself included. The time of the
// device with the most distant peers.
AlphaBeta all_to_all(const Platform& platform, const DeviceGroup& group);

}  // namespace spillway
