#include "traces/samples/foreign_outputs.h"

#include <algorithm>
#include <array>

namespace spillway {
namespace {

// The library launches a kernel for each message, MPI and verbs do not: their latencies are too short for
// latency_us. What a port carries at large sizes may be stated.
constexpr std::string_view kStateTheRate =
    "times of the collective library (sendrecv_perf of nccl-tests), or the rate of the largest size as "
    "bandwidth_gbps of the tier and its port (kind: measured)";
constexpr std::string_view kTranscribe =
    "a CSV file with the columns size_<unit> and time_<unit>, and lines \"# operation: all-reduce\", "
    "\"# devices: 8\", \"# neighbours: 8\"";

constexpr std::array kForeignOutputs = {
    ForeignOutput{{"# OSU NCCL", "Test"}, "OSU's micro-benchmarks over NCCL", kTranscribe},
    ForeignOutput{{"# OSU xCCL", "Test"}, "OSU's micro-benchmarks over NCCL or RCCL", kTranscribe},
    ForeignOutput{{"# OSU MPI", "Test"}, "OSU's micro-benchmarks: times of MPI", kStateTheRate},
    ForeignOutput{
        {"#bytes", "#iterations"}, "perftest (ib_write_bw and others): times of verbs", kStateTheRate},
    ForeignOutput{
        {"P2P=Enabled", "Bandwidth Matrix"}, "CUDA's p2pBandwidthLatencyTest: copies", kStateTheRate},
    ForeignOutput{{"Time, us", "Bandwidth, GB/s"}, "ucc_perftest", kTranscribe},
    ForeignOutput{{"tavg(usec)", "avgbw(GB/sec)"}, "pytorch-communication-benchmarks", kTranscribe},
    ForeignOutput{{"Throughput (Gbps)", "BusBW (Gbps)"}, "DeepSpeed's communication benchmarks", kTranscribe},
    ForeignOutput{{"count(elems)", "algbw(GB/s)"}, "AWS Neuron's nccom-test", kTranscribe}};

}  // namespace

const ForeignOutput* foreign_output(std::string_view line) {
  const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
  const auto* output = std::ranges::find_if(
      kForeignOutputs, [&](const ForeignOutput& each) { return has(each.words[0]) && has(each.words[1]); });
  return output == kForeignOutputs.end() ? nullptr : output;
}

}  // namespace spillway
