#include "traces/samples/overlap.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "traces/events/trace.h"
#include "traces/events/union_of_intervals.h"

namespace spillway {
namespace {

enum class Part : std::uint8_t { Forward, Backward, Neither };

Part part_of(const std::string& range) {
  if (range.ends_with("(F)")) return Part::Forward;
  if (range.ends_with("(B)") || range.ends_with("(W)")) return Part::Backward;
  return Part::Neither;
}

// Returns the layer of each range; kUnknown if it belongs to neither pass.
std::vector<std::uint32_t> layer_of_ranges(const std::vector<AnnotatedRange>& ranges) {
  std::vector<std::uint32_t> layers(ranges.size(), kUnknown);
  std::set<std::string> seen;
  std::uint32_t layer = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (part_of(ranges[i].name) == Part::Neither) continue;
    if (seen.contains(ranges[i].name)) {
      ++layer;
      seen.clear();
    }
    seen.insert(ranges[i].name);
    layers[i] = layer;
  }
  return layers;
}

struct OverlappingKernels {
  std::vector<Interval> forward, backward, computing, communicating;

  void add(const LaunchedKernel& kernel, Part part) {
    const Interval interval{kernel.start, kernel.end};
    (part == Part::Forward ? forward : backward).push_back(interval);
    (kernel.communication ? communicating : computing).push_back(interval);
  }

  Overlap overlap() const {
    std::vector<Interval> all = forward;
    all.insert(all.end(), backward.begin(), backward.end());
    const std::vector<Interval> joined = union_of(all);
    return {covered(union_of(forward)),
            covered(union_of(backward)),
            covered(joined),
            covered(union_of(computing)),
            covered(union_of(communicating)),
            joined.back().end - joined.front().start};
  }
};

void require_both_passes(const OverlappingKernels& whole, const std::string& file) {
  if (!whole.forward.empty() && !whole.backward.empty()) return;
  const std::string found = whole.forward.empty() ? "none of a forward" : "none of a backward";
  throw InputError({{file, "/", "kernels launched in ranges named ...(F) and ...(B) or ...(W)", found}});
}

constexpr double kAloneBelow = 0.1;  // share of a kernel's time beside communication
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

// Returns computing kernels that occur in the same place of several layers, sometimes beside communication
// for at least nine tenths of their time and sometimes for at most one tenth. A place is the range's name,
// the kernel's name and grid, and how many of these the range launched before. Kernels outside ranges are
// left out, and so are kernels that are too short for the file to give them a time.
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

}  // namespace

bool has_passes(const LaunchedKernels& run) {
  return std::any_of(run.ranges.begin(), run.ranges.end(),
                     [](const AnnotatedRange& range) { return part_of(range.name) != Part::Neither; });
}

OverlapReport overlap_of(const LaunchedKernels& run) {
  const std::vector<std::uint32_t> layer_of_range = layer_of_ranges(run.ranges);
  std::vector<OverlappingKernels> layers;
  OverlappingKernels whole;
  std::size_t outside = 0;
  for (const LaunchedKernel& kernel : run.kernels) {
    const std::uint32_t layer = kernel.range == kUnknown ? kUnknown : layer_of_range[kernel.range];
    if (layer == kUnknown) {
      ++outside;
      continue;
    }
    if (layers.size() <= layer) layers.resize(layer + 1);
    const Part part = part_of(run.ranges[kernel.range].name);
    layers[layer].add(kernel, part);
    whole.add(kernel, part);
  }
  require_both_passes(whole, run.file);

  OverlapReport report;
  for (const OverlappingKernels& layer : layers)
    if (!layer.computing.empty() || !layer.communicating.empty()) report.layers.push_back(layer.overlap());
  report.whole = whole.overlap();
  report.pairs = kernel_pairs(run);
  report.notes = run.notes;
  if (outside > 0)
    report.notes.push_back({NoteKind::Dropped, outside, "kernels of neither a forward nor a backward"});
  return report;
}

}  // namespace spillway
