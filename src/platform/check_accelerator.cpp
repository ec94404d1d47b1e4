// Checks the numbers of one device, and the operators measured on it.
#include "platform/figure_checks.h"

namespace spillway {
namespace {

void check_efficiencies(const Efficiencies& efficiency, Findings& findings) {
  const std::string pointer = "/accelerator/efficiency/";
  check_figure(pointer + "gemm", efficiency.gemm, 1.0, findings, kUpToOne);
  check_figure(pointer + "grouped_gemm", efficiency.grouped_gemm, 1.0, findings, kUpToOne);
  check_figure(pointer + "attention", efficiency.attention, 1.0, findings, kUpToOne);
  check_figure(pointer + "attention_backward", efficiency.attention_backward, 1.0, findings, kUpToOne);
  check_figure(pointer + "memory", efficiency.memory, 1.0, findings, kUpToOne);
}

}  // namespace

void check_accelerator(const Accelerator& accelerator, Findings& findings) {
  check_figure("/accelerator/bf16_tflops", accelerator.peak, FlopsPerSecond(1e12), findings);
  if (accelerator.fp8_peak)
    check_figure("/accelerator/fp8_tflops", *accelerator.fp8_peak, FlopsPerSecond(1e12), findings);
  if (accelerator.fp4_peak)
    check_figure("/accelerator/fp4_tflops", *accelerator.fp4_peak, FlopsPerSecond(1e12), findings);
  const auto faster = [&](const char* key, const std::optional<Sourced<double>>& figure) {
    if (figure) check_figure(key, *figure, 1.0, findings);
  };
  faster("/accelerator/fp8_attention/forward", accelerator.fp8_attention_forward);
  faster("/accelerator/fp8_attention/backward", accelerator.fp8_attention_backward);
  check_figure("/accelerator/memory_gb", accelerator.memory, Bytes(1e9), findings);
  check_figure("/accelerator/memory_bandwidth_gbps", accelerator.memory_bandwidth, kGigabytePerSecond,
               findings);
  check_efficiencies(accelerator.efficiency, findings);
  check_figure("/accelerator/memory_latency_us", accelerator.memory_latency, microseconds(1), findings,
               kFromZero);
  check_figure("/accelerator/host_overhead_us", accelerator.host_overhead, microseconds(1), findings,
               kFromZero);
  check_figure("/accelerator/slowdown_under_communication", accelerator.slowdown_under_communication, 1.0,
               findings, kFromZero);
  if (accelerator.exposed_accumulation)
    check_figure("/accelerator/exposed_accumulation", *accelerator.exposed_accumulation, 1.0, findings,
                 kUpToOne);
  check_figure("/accelerator/sustained", accelerator.sustained, 1.0, findings, kUpToOne);
  if (accelerator.power_limit)
    check_figure("/accelerator/power_limit", *accelerator.power_limit, 1.0, findings, kUpToOne);
  if (accelerator.clock_under_limit)
    check_figure("/accelerator/clock_under_limit", *accelerator.clock_under_limit, 1.0, findings, kUpToOne);
  if (accelerator.host_link)
    check_figure("/accelerator/host_link_gbps", *accelerator.host_link, kGigabytePerSecond, findings);
}

}  // namespace spillway
