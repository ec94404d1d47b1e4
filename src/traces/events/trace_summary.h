// Counts what a trace contains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

inline constexpr std::size_t kTraceKinds = static_cast<std::size_t>(TraceKind::Host) + 1;

// A percentile is the smallest duration such that at least that share of durations is no longer.
inline constexpr std::array<std::uint32_t, 9> kPercentiles = {1, 5, 10, 25, 50, 75, 90, 95, 99};

// The durations of one kind of pass in one stage, over microbatches, steps and replicas.
struct PassDurations {
  std::uint32_t stage;
  TraceKind kind;
  std::size_t passes;
  Seconds mean;
  double cv;  // standard deviation over mean
  std::array<Seconds, kPercentiles.size()> percentiles;
  Seconds most;

  // Contract: `percent` is one of kPercentiles.
  Seconds percentile(std::uint32_t percent) const;
};

struct TraceSummary {
  struct Kind {
    std::size_t events = 0;
    Seconds time;  // sum over all events
  };

  std::array<Kind, kTraceKinds> kinds;  // [kind]
  // Each is one more than the largest number that occurs. `microbatches` counts passes only; it is 0 if none
  // is numbered.
  std::uint32_t replicas = 0;
  std::uint32_t ranks = 0;
  std::uint32_t stages = 0;
  std::uint32_t microbatches = 0;
  std::uint64_t silent = 0;                                           // ranks of replicas without an event
  std::vector<std::pair<std::uint32_t, std::uint32_t>> silent_first;  // (replica, rank) of the first eight
  std::vector<PassDurations> passes;                                  // by stage, then kind
  Seconds span;                     // from the first start to the last end of all steps
  std::vector<Seconds> step_spans;  // [step]: of its events, on the ranks' own clocks
};

TraceSummary summary(const Trace& trace);

}  // namespace spillway
