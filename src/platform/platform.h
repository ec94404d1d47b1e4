// A cluster as the cost model and the replay see it: equal accelerators, the ports of each, and the tiers of
// the network between them. Every number has its source.
//
// As JSON (platforms/*.json). N stands for { "value": number, "kind": "measured|vendor|derived|fitted|
// extrapolated|assumed", "source": text }; a GB is 1e9 bytes, a TFLOP 1e12 FLOPs; paths are relative to the
// document. A fitted N may have "interval": [low, high], its 95 % interval, and "points": the number of
// measurements behind it.
//   "schema"       "spillway/platform/1"
//   "name"         text
//   "accelerator"  { "name": text, "bf16_tflops": N, "memory_gb": N, "memory_bandwidth_gbps": N,
//                    and optional: "fp8_tflops": N, "fp4_tflops": N, "fp8_any_layout": true or false,
//                    "efficiency": { "gemm": N, "grouped_gemm": N, "attention": N, "attention_backward": N,
//                                    "memory": N }, each optional,
//                    "operators": [ { "file": path, "kind", "source",
//                                     "precision": "fp8", "fp8-blocks" or "fp4", optional } ],
//                    "fp8_attention": { "forward": N, "backward": N, each optional },
//                    "attention_kernels": { NAME: { "forward": N, "backward": N } },
//                    "memory_latency_us": N, "host_overhead_us": N, "slowdown_under_communication": N,
//                    "exposed_accumulation": N,
//                    "sustained": N, "power_limit": N, "clock_under_limit": N, "host_link_gbps": N }
//   "ports"        [ { "name": text, "bandwidth_gbps": N } ], one direction
//   "tiers"        [ { "name": text, "devices": whole number, "port": name of a port, "latency_us": N,
//                      "bandwidth_gbps": N, "step_latency_us": N, optional,
//                      "wiring": "switched" or "mesh", optional, "sustained": N, optional,
//                      "collectives": optional, "protocols": optional } ], smallest first
//   "collectives"  [ { "operation": "all-reduce|all-gather|reduce-scatter|all-to-all|send-recv",
//                      "devices": whole number, "neighbours": whole number, "kind", "source",
//                      "points": [ [bytes, microseconds] ], "interval": [low, high], optional } ], measured
//                    sweeps of a tier; the interval is over the times, where sweeps contradict each other
//   "protocols"    { "launch": N, "small": N, "bulk_step_us": N, "exchange_us": N, "exchange_small": N,
//                    "exchange_bulk_us": N, "in_switch": { "once_us": N, "bandwidth": N }, optional }, of the
//                    first tier (Protocols below)
//   "library"      "nccl" or "hccl", optional: the library whose rules choose the algorithm of collectives
//   "price_per_device_hour_usd"  N, optional
//   "contention"   optional, default true; false: flows never share a link
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/quantity.h"
#include "base/shared.h"
#include "platform/evidence.h"
#include "platform/measured_operators.h"

namespace spillway {

// The share of the peaks that operators without a measured table reach, in (0, 1].
struct Efficiencies {
  Sourced<double> gemm = not_stated(1.0);
  Sourced<double> grouped_gemm = not_stated(1.0);
  Sourced<double> attention = not_stated(1.0);
  Sourced<double> attention_backward = not_stated(1.0);
  Sourced<double> memory = not_stated(1.0);  // of memory_bandwidth
};

// One generation of attention kernels: shares of the peak in long causal sequences. A framework chooses among
// them.
struct AttentionKernel {
  std::string name;
  Sourced<double> forward;
  Sourced<double> backward;
};

struct Accelerator {
  std::string name;
  Sourced<FlopsPerSecond> peak;  // dense BF16
  Sourced<Bytes> memory;
  Sourced<BytesPerSecond> memory_bandwidth;
  Efficiencies efficiency = {};
  Shared<OperatorTables> operators = {};
  std::optional<Sourced<FlopsPerSecond>> fp8_peak = {};  // dense; none if products cannot take FP8
  std::optional<Sourced<FlopsPerSecond>> fp4_peak = {};  // dense NVFP4; none if products cannot take it
  // FP8 products take operands of any layout (Blackwell), so a tensor with one scale needs one copy.
  // Otherwise it has one as rows and one as columns (Hopper).
  bool fp8_any_layout = false;
  // The time of fused attention in BF16 over its time with Q, K and V in FP8.
  std::optional<Sourced<double>> fp8_attention_forward = {};
  std::optional<Sourced<double>> fp8_attention_backward = {};
  std::vector<AttentionKernel> attention_kernels = {};
  // The time of a memory-bound operator beyond moving its bytes: its launch, and the gap after it.
  Sourced<Seconds> memory_latency = not_stated(Seconds());
  // The time in which the host issues one operator. It issues them one by one, ahead of the device, so a pass
  // takes at least as long as issuing it.
  Sourced<Seconds> host_overhead = not_stated(Seconds());
  // The slow-down of computing while a collective runs beside it: 0.25 means 25 % longer.
  Sourced<double> slowdown_under_communication = not_stated(0.0);
  // The exposed share of adding to a weight's accumulated gradient, in (0, 1]. The base is the time in which
  // memory reads and writes that gradient in FP32. A product that adds takes this share longer than one that
  // does not. Not stated: the tables measured products that add, or all of it hides.
  std::optional<Sourced<double>> exposed_accumulation = {};
  // The share of an operator's rate, measured alone, that a long run keeps, in (0, 1]: power limits, jitter
  // and kernels that are not counted reduce it.
  Sourced<double> sustained = not_stated(1.0);
  // The share of its power that the device may draw, in (0, 1], and the share of its clock that remains. If
  // the latter is not stated, it is the cube root of the former (assumed): switching power grows with the
  // clock and the square of the voltage, and the voltage falls with the clock.
  std::optional<Sourced<double>> power_limit = {};
  std::optional<Sourced<double>> clock_under_limit = {};
  // Bandwidth between the device and its host's memory, one direction; none if nothing is swapped.
  std::optional<Sourced<BytesPerSecond>> host_link = {};
};

// The clock that remains, as a share of the clock behind tables and peaks; 1 without a limit.
Sourced<double> clock_kept(const Accelerator& accelerator);

// A network port that each device has, one in each direction. All flows of the device through it share its
// bandwidth.
struct NetworkPort {
  std::string name;
  Sourced<BytesPerSecond> bandwidth;
};

enum class CollectiveOperation { AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv };

using OperationWord = std::pair<std::string_view, CollectiveOperation>;
// In the order of the enumeration.
inline constexpr std::array<OperationWord, 5> kOperationWords = {
    {{"all-reduce", CollectiveOperation::AllReduce},
     {"all-gather", CollectiveOperation::AllGather},
     {"reduce-scatter", CollectiveOperation::ReduceScatter},
     {"all-to-all", CollectiveOperation::AllToAll},
     {"send-recv", CollectiveOperation::SendRecv}}};

constexpr std::string_view word_for(CollectiveOperation operation) {
  return kOperationWords[static_cast<std::size_t>(operation)].first;
}

// A sweep over sizes of one collective among `devices` devices of a tier, with `neighbours` of them in each
// group of the previous tier. Between points the time is affine in bytes; below the first point it is that of
// the first.
struct MeasuredCollective {
  CollectiveOperation operation;
  std::uint32_t devices;
  std::uint32_t neighbours;
  Sourced<std::vector<std::pair<Bytes, Seconds>>>
      points;  // ascending; bytes as cost/network/collectives.h counts
};

// The library whose rules choose a collective's algorithm.
enum class CollectiveLibrary { Nccl, Hccl };

// The devices of a group share one switched fabric, or each pair has its own link.
enum class Wiring { Switched, Mesh };

// An all-reduce in which the switches add (NVLink SHARP).
struct InSwitch {
  Sourced<Seconds> once;
  Sourced<double> bandwidth;  // share
};

// Parameters of a library's protocols in one domain of switched links (NVLink through NVSwitch). They price
// groups without a measured sweep. Shares are of the tier's bandwidth between a pair.
// cost/network/protocol_forms.h has the formulas and their sources.
struct Protocols {
  Sourced<double> launch;          // share of (message latency - step latency), once per collective
  Sourced<double> small;           // share that a ring reaches with the protocol for small vectors
  Sourced<Seconds> bulk_step;      // step of a ring with the protocol for large vectors
  Sourced<Seconds> exchange;       // an all-to-all, once
  Sourced<double> exchange_small;  // share that an all-to-all reaches with small parts
  Sourced<Seconds> exchange_bulk;  // extra, once, with large parts, which reach the whole bandwidth
  std::optional<InSwitch> in_switch = {};
};

// Devices g*devices ... (g+1)*devices-1 are one group of this tier. Two devices talk over the smallest tier
// that holds both: alpha = latency, beta = 1 / bandwidth for one pair alone, through `port` (index into
// ports). The fabric between the ports is non-blocking. A message's latency includes costs that a collective
// of many steps has once, mainly the launch of its kernel. Each step takes the step latency; if none is
// stated, it takes the latency.
struct Tier {
  std::string name;
  std::uint32_t devices;
  std::size_t port;
  Sourced<Seconds> latency;
  Sourced<BytesPerSecond> bandwidth;
  std::vector<MeasuredCollective> collectives = {};
  std::optional<Sourced<Seconds>> step_latency = {};
  Wiring wiring = Wiring::Switched;         // HCCL's rules depend on it
  std::optional<Protocols> protocols = {};  // only of the first tier, for NCCL
  // The share of a collective's rate, measured alone, that a long run keeps, in (0, 1]: its devices do not
  // arrive at one time, and compute beside it. Messages between two devices keep their full rate.
  Sourced<double> sustained = not_stated(1.0);

  const Sourced<Seconds>& latency_of_a_step() const { return step_latency ? *step_latency : latency; }
};

struct Platform {
  std::string name;
  Accelerator accelerator;
  std::vector<NetworkPort> ports;
  std::vector<Tier> tiers;  // ascending in devices; each size divides the next
  bool contention = true;   // false: flows do not share links (the ideal platform)
  CollectiveLibrary library = CollectiveLibrary::Nccl;
  std::optional<Sourced<DollarsPerHour>> price = {};  // of one device

  std::uint32_t device_count() const { return tiers.back().devices; }
};

// Returns every violation of a platform: a tier whose size does not ascend or divide the next one's, or that
// lies inside itself; a missing port, or one that no tier uses; a pair that is faster than its port; a step
// longer than a message; protocols of a tier other than the first, or of a library other than NCCL; a
// measured sweep whose group does not exist or whose points do not ascend; a number out of its range
// (positive and finite; efficiencies at most 1; latencies, host overhead and slow-down may be 0) or without a
// source. Pointers are those of the JSON form.
std::vector<Violation> check_platform(const Platform& platform);

// The smallest tier that holds both. Contract: a != b, both below device_count().
const Tier& tier_between(const Platform& platform, DeviceId a, DeviceId b);

// The placement of a job on devices. The members (TP x CP) of one rank and replica are neighbours; then come
// replicas, then ranks. So a stage's data-parallel group is contiguous (Megatron's order tp-cp-dp-pp).
struct DeviceGrid {
  std::uint32_t ranks;
  std::uint32_t replicas;
  std::uint32_t members;
  std::uint32_t first = 0;  // the job's first device

  std::uint32_t device_count() const { return ranks * replicas * members; }
  DeviceId device(RankId rank, ReplicaId replica, std::uint32_t member) const {
    return DeviceId(first + (rank.index() * replicas + replica.index()) * members + member);
  }
  friend bool operator==(const DeviceGrid&, const DeviceGrid&) = default;
};

}  // namespace spillway
