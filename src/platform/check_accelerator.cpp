// The numbers of one device, and the operators measured on it.
#include "platform/complaints.h"

namespace spillway {
namespace {

void check_efficiencies(const Efficiencies& efficiency, Complaints& complaints) {
  const std::string pointer = "/accelerator/efficiency/";
  complaints.figure(pointer + "gemm", efficiency.gemm, 1.0, kUpToOne);
  complaints.figure(pointer + "grouped_gemm", efficiency.grouped_gemm, 1.0, kUpToOne);
  complaints.figure(pointer + "attention", efficiency.attention, 1.0, kUpToOne);
  complaints.figure(pointer + "attention_backward", efficiency.attention_backward, 1.0, kUpToOne);
  complaints.figure(pointer + "memory", efficiency.memory, 1.0, kUpToOne);
}

}  // namespace

void check_accelerator(const Accelerator& accelerator, Complaints& complaints) {
  complaints.figure("/accelerator/bf16_tflops", accelerator.peak, FlopsPerSecond(1e12));
  complaints.figure("/accelerator/memory_gb", accelerator.memory, Bytes(1e9));
  complaints.figure("/accelerator/memory_bandwidth_gbps", accelerator.memory_bandwidth, kGigabytePerSecond);
  check_efficiencies(accelerator.efficiency, complaints);
  complaints.figure("/accelerator/memory_latency_us", accelerator.memory_latency, microseconds(1), kFromZero);
  complaints.figure("/accelerator/host_overhead_us", accelerator.host_overhead, microseconds(1), kFromZero);
  complaints.figure("/accelerator/slowdown_under_communication", accelerator.slowdown_under_communication,
                    1.0, kFromZero);
  complaints.figure("/accelerator/sustained", accelerator.sustained, 1.0, kUpToOne);
}

}  // namespace spillway
