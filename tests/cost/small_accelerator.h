// An accelerator with round numbers and a short table.
#pragma once

#include "platform/platform.h"
#include "small_platform.h"

namespace spillway {

// Peak 100 TFLOP/s: GEMM reaches 0.5, grouped GEMM 0.25, attention 0.4 and 0.2; 1000 GB/s, of which 0.8 is
// reached.
inline Accelerator small_accelerator() {
  Accelerator accelerator = small_platform().accelerator;
  accelerator.peak.evidence = Evidence::Vendor;
  accelerator.memory_bandwidth.evidence = Evidence::Vendor;
  const auto stated = [](double value) { return Sourced<double>{value, Evidence::Derived, "a test"}; };
  accelerator.efficiency = {stated(0.5), stated(0.25), stated(0.4), stated(0.2), stated(0.8)};
  return accelerator;
}

// A cube of sizes at half the peak, with a launch of 5 us.
inline std::vector<MeasuredGemm> small_gemm_table() {
  std::vector<MeasuredGemm> table;
  for (const double m : {16, 64, 256, 1024, 4096})
    for (const double n : {64, 256, 1024, 4096})
      for (const double k : {64, 256, 1024, 4096})
        table.push_back({m, n, k, microseconds(5) + Seconds(2 * m * n * k / 50e12)});
  return table;
}

}  // namespace spillway
