// Example: kernels 1 and 2 are launched by thread 700, kernel 3 by thread 709, which PyTorch named
// "pt_autograd_0". The first two are of a forward, and the third of a backward.
// Test: tests/traces/nsight_profile_test.cpp.
#include "traces/profile/nsight_processes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "traces/files/name_index.h"
#include "traces/formats/kineto_names.h"
#include "traces/formats/nsight_report.h"
#include "traces/profile/linked_work.h"
#include "traces/profile/torch_names.h"

namespace spillway {
namespace nsight_profile {
namespace {

// emit_nvtx appends the operator's number: "autograd::engine::evaluate_function: MmBackward0, seq = 3".
std::string_view plain(std::string_view name) {
  return name.substr(0, name.find(", "));
}

bool names_a_pass(const NsightReport& report) {
  for (const auto& [id, process] : report.processes)
    for (const NsightRange& range : process.ranges)
      if (pipeline_range(plain(range.name)) || is_overlapped_range(plain(range.name))) return true;
  return false;
}

// Contract: the process has kernels.
class Reading {
 public:
  Reading(const NsightReport& report, const NsightProcess& process)
      : report_(report), process_(process), first_ns_(process.kernels.front().start_ns) {
    if (!process.launches.empty()) first_ns_ = std::min(first_ns_, process.launches.front().start_ns);
    if (!process.ranges.empty()) first_ns_ = std::min(first_ns_, process.ranges.front().start_ns);
  }

  ProcessEvents events(const std::string& path) && {
    events_.process.file = path;
    events_.device = report_.device;
    for (const NsightRange& range : process_.ranges) take(range);
    for (const NsightKernel& kernel : process_.kernels) take(kernel);
    for (const NsightCopy& copy : process_.copies) add(copy, "copy", WorkKind::Copying, copy.correlation);
    std::vector<WorkLaunch> launches;
    for (const NsightLaunch& launch : process_.launches) launches.push_back(launch_of(launch));
    link_work(events_, std::move(launches), correlations_);
    add_engine_threads();
    events_.names = names_.texts();
    return std::move(events_);
  }

 private:
  Seconds at(std::int64_t ns) const { return Seconds(static_cast<double>(ns - first_ns_) * 1e-9); }

  std::uint32_t thread(std::int64_t id) { return threads_[std::to_string(id)]; }

  WorkLaunch launch_of(const NsightLaunch& launch) {
    const std::uint32_t by = thread(launch.thread);
    const auto name = report_.threads.find(launch.thread);
    if (name != report_.threads.end() && name->second.starts_with("pt_autograd")) engines_.push_back(by);
    return {static_cast<std::uint64_t>(launch.correlation), at(launch.start_ns), by};
  }

  void take(const NsightRange& nvtx) {
    const HostRange range{at(nvtx.start_ns), at(nvtx.end_ns), thread(nvtx.thread)};
    const std::string_view name = plain(nvtx.name);
    if (is_autograd_range(name)) return events_.autograd.push_back(range);
    if (is_optimizer_range(name)) return events_.optimizer.push_back(range);
    if (const auto step = profiler_step(name))
      return events_.steps.push_back({range, names_["ProfilerStep#"], *step});
    if (const auto mark = numbered_mark(name))
      events_.marks.push_back({range, names_[mark->prefix], mark->number});
  }

  void take(const NsightKernel& kernel) {
    const bool communicates = is_communication_work(kernel.name);
    add(kernel, kernel.name, communicates ? WorkKind::Communicating : WorkKind::Computing,
        kernel.correlation);
    if (communicates) events_.work.back().message = message(kernel.name);
  }

  // A report does not say among how many devices.
  std::uint32_t message(const std::string& kernel) {
    const std::string operation(collective_in(kernel));
    const auto known = std::ranges::find(events_.messages, operation, &MessageKind::operation);
    const auto place = static_cast<std::uint32_t>(known - events_.messages.begin());
    if (known == events_.messages.end()) events_.messages.push_back({operation, 0, ""});
    return place;
  }

  void add(NsightSpan span, std::string_view name, WorkKind kind, std::int64_t correlation) {
    events_.work.push_back(
        {at(span.start_ns), at(span.end_ns), std::nullopt, kUnknown, names_[name], kUnknown, kind});
    correlations_.push_back(static_cast<std::uint64_t>(correlation));
  }

  // Each launch of an engine's thread is a range of it.
  void add_engine_threads() {
    for (const DeviceWork& work : events_.work)
      if (work.launch && std::ranges::find(engines_, work.thread) != engines_.end())
        events_.autograd.push_back({*work.launch, *work.launch, work.thread});
  }

  const NsightReport& report_;
  const NsightProcess& process_;
  std::int64_t first_ns_;
  ProcessEvents events_;
  NameIndex names_, threads_;
  std::vector<std::uint64_t> correlations_;
  std::vector<std::uint32_t> engines_;
};

}  // namespace
}  // namespace nsight_profile

std::optional<std::vector<ProcessEvents>> nsight_processes(const std::string& path) {
  using namespace nsight_profile;
  std::vector<ProcessEvents> processes;
  for (const std::string& file : nsight_reports(path)) {
    const NsightReport report = read_nsight_report(file);
    if (names_a_pass(report)) return std::nullopt;
    for (const auto& [id, process] : report.processes)
      if (!process.kernels.empty()) processes.push_back(Reading(report, process).events(file));
    if (processes.empty())
      throw InputError(
          {{file, "/CUPTI_ACTIVITY_KIND_KERNEL", "kernels (nsys profile --trace cuda,nvtx)", "none"}});
  }
  return processes;
}

}  // namespace spillway
