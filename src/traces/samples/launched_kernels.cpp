#include "traces/samples/launched_kernels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "base/number.h"
#include "traces/events/trace.h"
#include "traces/files/json_events.h"
#include "traces/formats/kineto_names.h"

namespace spillway {
namespace launched {
namespace {

enum Argument { kCorrelation, kStream, kGrid };
constexpr std::array<std::string_view, 3> kArguments = {"correlation", "stream", "grid"};

std::array<std::uint32_t, 3> grid_of(const std::string& argument) {
  std::array<std::uint32_t, 3> grid{};
  std::istringstream text(argument);
  for (std::uint32_t& blocks : grid) text >> blocks;
  return grid;
}

bool is_launch(const std::string& category) {
  return category == "cuda_runtime" || category == "cuda_driver";
}

class Collector {
 public:
  explicit Collector(const std::string& path) { result_.file = path; }

  void take(const JsonEvent& event) {
    if (event.phase != 'X') return;
    const bool work = is_device_work(event.category), launch = is_launch(event.category);
    const bool range = event.category == "user_annotation";
    if (!work && !launch && !range) return;
    if (!event.at || !event.duration_us || *event.duration_us < 0) {
      ++senseless_;
      return;
    }
    if (!origin_) origin_ = event.at;
    const Seconds from = event.at->since(*origin_);
    const Seconds to = from + microseconds(*event.duration_us);
    const auto correlation = number_from<std::uint64_t>(event.arguments[kCorrelation]);
    if (range) result_.ranges.push_back({event.name, from, to});
    if (launch && correlation) launches_[*correlation] = from;
    if (work) add_kernel(event, from, to, correlation);
  }

  LaunchedKernels finish(std::string_view device) {
    result_.device = device;
    if (result_.kernels.empty()) throw InputError({{result_.file, "/", "events of category kernel", "none"}});
    note(NoteKind::Dropped, senseless_, "events without a time or with a negative duration");
    find_launches();
    find_ranges();
    return std::move(result_);
  }

 private:
  void add_kernel(const JsonEvent& event, Seconds from, Seconds to,
                  std::optional<std::uint64_t> correlation) {
    const auto [known, added] =
        names_.try_emplace(event.name, static_cast<std::uint32_t>(result_.names.size()));
    if (added) result_.names.push_back(event.name);
    const auto stream = number_from<std::uint16_t>(event.arguments[kStream]).value_or(0);
    result_.kernels.push_back({from, to, std::nullopt, known->second, kUnknown,
                               grid_of(event.arguments[kGrid]), stream, is_communication_kernel(event.name)});
    correlations_.push_back(correlation);
  }

  void find_launches() {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < correlations_.size(); ++i) {
      const auto found = correlations_[i] ? launches_.find(*correlations_[i]) : launches_.end();
      if (found != launches_.end()) {
        result_.kernels[i].launch = found->second;
      } else {
        ++missing;
      }
    }
    note(NoteKind::Missing, missing, "kernels whose launch is not in the file");
    std::sort(result_.kernels.begin(), result_.kernels.end(), [](const auto& a, const auto& b) {
      return std::tie(a.launch, a.start, a.end, a.stream) < std::tie(b.launch, b.start, b.end, b.stream);
    });
  }

  // Launches ascend. A range that ended before one of them is therefore not open at any later one.
  void find_ranges() {
    std::sort(result_.ranges.begin(), result_.ranges.end(), [](const auto& a, const auto& b) {
      return std::tie(a.start, b.end) < std::tie(b.start, a.end);
    });
    std::vector<std::uint32_t> open;
    std::uint32_t next = 0;
    std::size_t outside = 0;
    for (LaunchedKernel& kernel : result_.kernels) {
      if (!kernel.launch) continue;
      while (next < result_.ranges.size() && result_.ranges[next].start <= *kernel.launch)
        open.push_back(next++);
      while (!open.empty() && result_.ranges[open.back()].end < *kernel.launch) open.pop_back();
      if (open.empty()) {
        ++outside;
      } else {
        kernel.range = open.back();
      }
    }
    note(NoteKind::Missing, outside, "kernels launched outside any annotated range");
  }

  void note(NoteKind kind, std::size_t count, const char* what) {
    if (count > 0) result_.notes.push_back({kind, count, what});
  }

  LaunchedKernels result_;
  std::optional<ClockReading> origin_;
  std::unordered_map<std::uint64_t, Seconds> launches_;     // by correlation
  std::vector<std::optional<std::uint64_t>> correlations_;  // of result_.kernels
  std::map<std::string, std::uint32_t> names_;
  std::size_t senseless_ = 0;
};

}  // namespace
}  // namespace launched

LaunchedKernels read_launched_kernels(const std::string& path) {
  using namespace launched;
  Collector collector(path);
  const JsonEventsRead read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    collector.take(event);
    return true;
  });
  return collector.finish(read.outside_value("/deviceProperties/0/name"));
}

}  // namespace spillway
