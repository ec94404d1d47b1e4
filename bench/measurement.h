// A benchmark program's message to the driver, on one line of standard output.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>

namespace spillway::bench {

struct Measurement {
  std::uint64_t activities;  // computing and transfer events
  double seconds;            // from creating the simulated platform to the end of the simulation
  double makespan_s;         // simulated
  double peak_mb;            // resident, of the whole program
};

inline double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

inline void print(std::uint64_t activities, double seconds, double makespan_s) {
  std::printf("%llu %.9g %.15g %.9g\n", static_cast<unsigned long long>(activities), seconds, makespan_s,
              peak_megabytes());
}

// Computing and transfer events of 1F1B over P ranks and M microbatches.
inline std::uint64_t one_f_one_b_activities(std::uint64_t ranks, std::uint64_t microbatches) {
  return 2 * ranks * microbatches + 2 * (ranks - 1) * microbatches;
}

}  // namespace spillway::bench
