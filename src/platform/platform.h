// A cluster as the cost model and the replay see it: equal accelerators, the ports each has, and the tiers of
// the network between them. Every number says where it comes from.
//
// As JSON (platforms/*.json). N stands for { "value": number, "kind": "measured|vendor|derived|fitted|
// extrapolated|assumed", "source": text }; a GB is 1e9 bytes, a TFLOP 1e12 FLOPs; paths are relative to the
// document.
// A fitted N may have "interval": [low, high], its 95 % interval, and "points": how many measurements it was
// fitted to.
//   "schema"       "spillway/platform/1"
//   "name"         text
//   "accelerator"  { "name": text, "bf16_tflops": N, "memory_gb": N, "memory_bandwidth_gbps": N,
//                    and optional: "fp8_tflops": N,
//                    "efficiency": { "gemm": N, "grouped_gemm": N, "attention": N, "attention_backward": N,
//                                    "memory": N }, each optional,
//                    "operators": [ { "file": path, "kind", "source", "precision": "fp8", optional } ],
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
//   "library"      "nccl" or "hccl", optional: whose choice of algorithm the collectives follow
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

// What operators without a measured table achieve of the peaks, in (0, 1].
struct Efficiencies {
  Sourced<double> gemm = not_stated(1.0);
  Sourced<double> grouped_gemm = not_stated(1.0);
  Sourced<double> attention = not_stated(1.0);
  Sourced<double> attention_backward = not_stated(1.0);
  Sourced<double> memory = not_stated(1.0);  // of memory_bandwidth
};

// One generation of attention kernels, of the peak in long causal sequences. A framework chooses among them.
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
  std::optional<Sourced<FlopsPerSecond>> fp8_peak = {};  // dense; none where products take no FP8
  std::vector<AttentionKernel> attention_kernels = {};
  // What a memory-bound operator takes beside moving its bytes: launch, and the gap behind it.
  Sourced<Seconds> memory_latency = not_stated(Seconds());
  // The host issues operators one after the other, this long each, ahead of the device: a pass takes at least
  // as long as issuing it does.
  Sourced<Seconds> host_overhead = not_stated(Seconds());
  // How much longer computing takes while a collective runs beside it: 0.25 is a quarter longer.
  Sourced<double> slowdown_under_communication = not_stated(0.0);
  // Of the time that memory takes to read and write a weight's accumulated gradient in FP32, what a product
  // that adds to it takes longer than one that does not, (0, 1]. Not stated: tables are of products that add,
  // or all of it hides.
  std::optional<Sourced<double>> exposed_accumulation = {};
  // What of an operator's rate, measured alone, is kept in a long run (power limits, jitter, kernels that are
  // not counted), in (0, 1].
  Sourced<double> sustained = not_stated(1.0);
  // The share of its power that the device may take, in (0, 1], and what of its clock is left then; where
  // that is not stated, the cube root of the share, for what switches takes power by its clock and the square
  // of a voltage that falls with it: assumed.
  std::optional<Sourced<double>> power_limit = {};
  std::optional<Sourced<double>> clock_under_limit = {};
  // Between the device and its host's memory, one direction; none where nothing is swapped.
  std::optional<Sourced<BytesPerSecond>> host_link = {};
};

// Of the clock that tables and peaks are of; 1 without a limit.
Sourced<double> clock_kept(const Accelerator& accelerator);

// A network port that each device owns, one each way; all flows of the device through it share it.
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

// A sweep over sizes of one collective among `devices` devices of a tier, `neighbours` of them in each group
// of the tier before. Between points a time is affine in bytes, below the first it is the first one's.
struct MeasuredCollective {
  CollectiveOperation operation;
  std::uint32_t devices;
  std::uint32_t neighbours;
  Sourced<std::vector<std::pair<Bytes, Seconds>>>
      points;  // ascending; bytes as cost/network/collectives.h counts
};

// Whose rules choose a collective's algorithm.
enum class CollectiveLibrary { Nccl, Hccl };

// Whether the devices of a group reach each other over one switched fabric, or each pair over a link of its
// own.
enum class Wiring { Switched, Mesh };

// An all-reduce that the switches add up (NVLink SHARP).
struct InSwitch {
  Sourced<Seconds> once;
  Sourced<double> bandwidth;  // share
};

// What a library's protocols take in one domain of switched links (NVLink through NVSwitch), for groups of
// which no sweep is given. Shares are of the tier's bandwidth between a pair. The forms that they stand in,
// and where each comes from: cost/network/protocol_forms.h.
struct Protocols {
  Sourced<double> launch;          // of what a message takes besides a step, what a collective takes once
  Sourced<double> small;           // share that a ring reaches by the protocol of small vectors
  Sourced<Seconds> bulk_step;      // of a ring by the protocol of large vectors
  Sourced<Seconds> exchange;       // an all-to-all, once
  Sourced<double> exchange_small;  // share that it reaches with small parts
  Sourced<Seconds> exchange_bulk;  // once more with large parts, which reach all of it
  std::optional<InSwitch> in_switch = {};
};

// Devices g*devices ... (g+1)*devices-1 are one group of this tier. Two devices talk over the smallest tier
// that holds both: alpha = latency, beta = 1 / bandwidth for one pair alone, through `port` (index into
// ports). The fabric between the ports is non-blocking. A message's latency holds what a collective of many
// steps takes once, the launch of its kernel above all; each of the steps takes the step latency, which is
// the latency where none is stated.
struct Tier {
  std::string name;
  std::uint32_t devices;
  std::size_t port;
  Sourced<Seconds> latency;
  Sourced<BytesPerSecond> bandwidth;
  std::vector<MeasuredCollective> collectives = {};
  std::optional<Sourced<Seconds>> step_latency = {};
  Wiring wiring = Wiring::Switched;         // HCCL's rules go by it
  std::optional<Protocols> protocols = {};  // of the first tier, NCCL's
  // What of a collective's rate, alone, is kept in a long run, in (0, 1]: its devices do not come at one
  // time, and compute beside it. Messages between two are as alone.
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

// Everything that keeps `platform` from being one: a tier whose size does not ascend or divide the next
// one's, or that lies inside itself; a port that is not there, or that no tier goes through; a pair faster
// than the port it goes through; a step longer than a message; protocols of another tier than the first, or
// of another library than NCCL; a measured sweep whose group is not there or
// whose points do not ascend; a number out of its range (positive and finite; efficiencies at most 1;
// latencies, host overhead and slow-down may be 0) or without a source. Pointers are those of the JSON form.
std::vector<Violation> check_platform(const Platform& platform);

// The smallest tier that holds both. Contract: a != b, both below device_count().
const Tier& tier_between(const Platform& platform, DeviceId a, DeviceId b);

// Where the devices of a job sit: the members (TP x CP) of one rank and replica are neighbours, then
// replicas, then ranks, so that a stage's data-parallel group is contiguous (Megatron's order tp-cp-dp-pp).
struct DeviceGrid {
  std::uint32_t ranks;
  std::uint32_t replicas;
  std::uint32_t members;
  std::uint32_t first = 0;  // device of the job

  std::uint32_t device_count() const { return ranks * replicas * members; }
  DeviceId device(RankId rank, ReplicaId replica, std::uint32_t member) const {
    return DeviceId(first + (rank.index() * replicas + replica.index()) * members + member);
  }
  friend bool operator==(const DeviceGrid&, const DeviceGrid&) = default;
};

}  // namespace spillway
