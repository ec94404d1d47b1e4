// Collectives as one line of latency and bandwidth, which is what the layers' own collectives are summed up
// to. cost/collectives.h has the full picture.
//   all-gather, reduce-scatter  N-1 ring steps of n/N at the tier that holds the group
//   all-to-all                  N-1 pairwise exchanges of n/N, each over the tier between the two
#pragma once

#include <limits>

#include "base/quantity.h"
#include "cost/device_group.h"
#include "platform/platform.h"

namespace spillway {

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

AlphaBeta all_gather(const Platform& platform, const DeviceGroup& group);
AlphaBeta reduce_scatter(const Platform& platform, const DeviceGroup& group);

// The time of the device with the most distant peers.
AlphaBeta all_to_all(const Platform& platform, const DeviceGroup& group);

}  // namespace spillway
