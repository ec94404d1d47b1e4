// A cluster as the cost model and the replay see it: equal accelerators, the ports each has, and the tiers of
// the network between them. Every number says where it comes from.
//
// As JSON (platforms/*.json). N stands for { "value": number, "kind": "measured|vendor|derived|assumed",
// "source": text }; a GB is 1e9 bytes, a TFLOP 1e12 FLOPs.
//   "schema"       "spillway/platform/1"
//   "name"         text
//   "accelerator"  { "name": text, "bf16_tflops": N, "memory_gb": N, "memory_bandwidth_gbps": N }
//   "ports"        [ { "name": text, "bandwidth_gbps": N } ], one direction
//   "tiers"        [ { "name": text, "devices": whole number, "port": name of a port, "latency_us": N,
//                      "bandwidth_gbps": N } ], smallest first
//   "contention"   optional, default true; false: flows never share a link
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// measured: someone timed it. vendor: a specification. derived: computed from such. assumed: nobody knows.
enum class Evidence { Measured, Vendor, Derived, Assumed };

template <class Value>
struct Sourced {
  Value value;
  Evidence evidence;
  std::string source;
};

struct Accelerator {
  std::string name;
  Sourced<FlopsPerSecond> peak;  // dense BF16
  Sourced<Bytes> memory;
  Sourced<BytesPerSecond> memory_bandwidth;
};

// A network port that each device owns, one each way; all flows of the device through it share it.
struct Port {
  std::string name;
  Sourced<BytesPerSecond> bandwidth;
};

// Devices g*devices ... (g+1)*devices-1 are one group of this tier. Two devices talk over the smallest tier
// that holds both: alpha = latency, beta = 1 / bandwidth for one pair alone, through `port` (index into
// ports). The fabric between the ports is non-blocking.
struct Tier {
  std::string name;
  std::uint32_t devices;
  std::size_t port;
  Sourced<Seconds> latency;
  Sourced<BytesPerSecond> bandwidth;
};

struct Platform {
  std::string name;
  Accelerator accelerator;
  std::vector<Port> ports;
  std::vector<Tier> tiers;  // ascending in devices; each size divides the next
  bool contention = true;   // false: flows do not share links (the ideal platform)

  std::uint32_t device_count() const { return tiers.back().devices; }
};

// Everything that keeps `platform` from being one: a tier whose size does not ascend or divide the next
// one's, a port that is not there, a number that is not finite or not positive (a latency may be 0), a pair
// faster than the port it goes through, a number without a source. Pointers are those of the JSON form.
std::vector<Violation> check_platform(const Platform& platform);

// The smallest tier that holds both. Contract: a != b, both below device_count().
const Tier& tier_between(const Platform& platform, DeviceId a, DeviceId b);

// Where the devices of a job sit: the members (TP x CP) of one rank and replica are neighbours, then
// replicas, then ranks, so that a stage's data-parallel group is contiguous (Megatron's order tp-cp-dp-pp).
struct DeviceGrid {
  std::uint32_t ranks;
  std::uint32_t replicas;
  std::uint32_t members;

  std::uint32_t device_count() const { return ranks * replicas * members; }
  DeviceId device(RankId rank, ReplicaId replica, std::uint32_t member) const {
    return DeviceId((rank.index() * replicas + replica.index()) * members + member);
  }
};

}  // namespace spillway
