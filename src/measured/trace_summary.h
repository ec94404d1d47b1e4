// What is in a trace, counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "measured/trace.h"

namespace spillway {

inline constexpr std::size_t kTraceKinds = static_cast<std::size_t>(TraceKind::Host) + 1;

struct TraceSummary {
  struct Kind {
    std::size_t events = 0;
    Seconds time;  // of all of them
  };

  std::array<Kind, kTraceKinds> kinds;  // [kind]
  // One more than the largest number that occurs; microbatches: of the passes, 0 where none is numbered.
  std::uint32_t replicas = 0;
  std::uint32_t ranks = 0;
  std::uint32_t stages = 0;
  std::uint32_t microbatches = 0;
  std::uint64_t silent = 0;                                           // ranks of replicas without an event
  std::vector<std::pair<std::uint32_t, std::uint32_t>> silent_first;  // replica and rank of the first eight
  Seconds span;                     // from the first start to the last end of all steps
  std::vector<Seconds> step_spans;  // [step]: of the step's events, on the ranks' own clocks
};

TraceSummary summary(const Trace& trace);

}  // namespace spillway
