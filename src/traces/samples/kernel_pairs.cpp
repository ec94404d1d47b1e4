#include "traces/samples/kernel_pairs.h"

#include <map>
#include <tuple>

#include "traces/events/trace.h"
#include "traces/events/union_of_intervals.h"

namespace spillway {
namespace {

constexpr double kAloneBelow = 0.1;  // of a kernel's time, beside communication
constexpr double kBesideFrom = 0.9;

using Grid = std::array<std::uint32_t, 3>;
using LaunchPlace = std::tuple<std::string, std::uint32_t, Grid, std::uint32_t>;

struct Seen {
  Seconds alone, beside;  // sums
  std::size_t alone_count = 0, beside_count = 0;
};

std::vector<Interval> communication_of(const LaunchedKernels& run) {
  std::vector<Interval> intervals;
  for (const LaunchedKernel& kernel : run.kernels)
    if (kernel.communication) intervals.push_back({kernel.start, kernel.end});
  return union_of(std::move(intervals));
}

void count(Seen& seen, Seconds duration, double share_beside) {
  if (share_beside <= kAloneBelow) {
    seen.alone += duration;
    ++seen.alone_count;
  } else if (share_beside >= kBesideFrom) {
    seen.beside += duration;
    ++seen.beside_count;
  }
}

}  // namespace

std::vector<KernelPair> kernel_pairs(const LaunchedKernels& run) {
  const std::vector<Interval> communication = communication_of(run);
  std::map<std::tuple<std::uint32_t, std::uint32_t, Grid>, std::uint32_t> launched;  // by range, name, grid
  std::map<LaunchPlace, Seen> places;
  for (const LaunchedKernel& kernel : run.kernels) {
    if (kernel.communication || kernel.range == kUnknown) continue;
    const std::uint32_t ordinal = launched[{kernel.range, kernel.name, kernel.grid}]++;
    const Interval interval{kernel.start, kernel.end};
    if (interval.length() == Seconds()) continue;
    Seen& seen = places[{run.ranges[kernel.range].name, kernel.name, kernel.grid, ordinal}];
    count(seen, interval.length(), covered(communication, interval) / interval.length());
  }
  std::vector<KernelPair> pairs;
  for (const auto& [place, seen] : places) {
    if (seen.alone_count == 0 || seen.beside_count == 0) continue;
    pairs.push_back({seen.alone / static_cast<double>(seen.alone_count),
                     seen.beside / static_cast<double>(seen.beside_count), seen.alone_count,
                     seen.beside_count});
  }
  return pairs;
}

}  // namespace spillway
