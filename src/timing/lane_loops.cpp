#include "timing/lane_loops.h"

#include <algorithm>

namespace spillway {
namespace {

// A lane by itself.
namespace single {
#define LANES_TARGET
using Lanes = double;
#include "timing/lane_loops.inc"
}  // namespace single

// Two lanes in one register of any x86-64 or 64-bit ARM.
namespace plain {
using Lanes = double __attribute__((vector_size(16), aligned(8), may_alias));
#include "timing/lane_loops.inc"
#undef LANES_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define LANES_TARGET __attribute__((target("avx2")))
using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
#include "timing/lane_loops.inc"
#undef LANES_TARGET
}  // namespace avx2

namespace avx512 {
#define LANES_TARGET __attribute__((target("avx512f")))
using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));
#include "timing/lane_loops.inc"
#undef LANES_TARGET
}  // namespace avx512
#endif

// Uses the single-lane loop for one lane, else `More` for whole lines.
template <RunSteps More>
void run(std::span<const PathStep> steps, std::uint32_t first, const RowStretch& takes,
         const LaneEnds& lanes) {
  (lanes.width == 1 ? single::run : More)(steps, first, takes, lanes);
}

template <AddRows More>
void add(std::span<const Addend> addends, std::uint32_t first, const RowStretch& takes, std::uint32_t width,
         double* sums) {
  (width == 1 ? single::add_rows : More)(addends, first, takes, width, sums);
}

constexpr LaneLoops kLoops[] = {{"SSE2 or NEON", run<plain::run>, add<plain::add_rows>},
#if defined(__x86_64__)
                                {"AVX2", run<avx2::run>, add<avx2::add_rows>},
                                {"AVX-512", run<avx512::run>, add<avx512::add_rows>}
#endif
};

std::size_t runnable() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return __builtin_cpu_supports("avx512f") ? 3 : 2;
#endif
  return 1;
}

// Returns true if a core processes 512 bits in two halves, as Zen 4 does. It also reads back data slowly that
// it has just written so.
bool halves_the_widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amdfam19h");
#else
  return false;
#endif
}

}  // namespace

std::span<const LaneLoops> lane_loops() {
  static const std::size_t count = runnable();
  return {kLoops, count};
}

const LaneLoops& fastest_loops() {
  static const std::size_t place =
      std::min<std::size_t>(lane_loops().size(), halves_the_widest() ? 2 : 3) - 1;
  return lane_loops()[place];
}

}  // namespace spillway
