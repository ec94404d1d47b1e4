// Reads the traces that `spillway run --out` writes (src/report/trace/chrome_trace.h), so that a run can be
// compared with itself.
//
// It reads passes and transfers of the pipelined regions, whose events have "stage" in their args. One
// transfer becomes a send and a receive with the same times. Reductions become collectives. Events of
// transposed regions, and overlapped forwards and backwards, are dropped and counted. The trace has one step.
// The names of its processes begin with the schedule's.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "traces/events/trace_builder.h"
#include "traces/formats/own_names.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace own {
namespace {

constexpr std::string_view kBeside = "MCstf";  // names, counters and arrows, which are not work
constexpr std::string_view kProcessName = "process_name", kReplicaInName = ", replica ";

// Those of own_event, and the name of a process, "mpipe, replica 0, rank 3".
constexpr auto kArguments = [] {
  std::array<std::string_view, kOwnArguments.size() + 1> keys{};
  std::ranges::copy(kOwnArguments, keys.begin());
  keys.back() = "name";
  return keys;
}();

class Import {
 public:
  explicit Import(const std::string& path) : trace_("spillway") { trace_.start_file(path); }

  void take(const JsonEvent& event) {
    if (event.phase == 'M' && event.name == kProcessName) return name_schedule(event.arguments.back());
    if (kBeside.find(event.phase) != std::string_view::npos) return;
    if (event.phase != 'X') return trace_.drop("events of a kind that spillway does not write", event.number);
    const OwnEvent own = own_event(event.name, event.arguments);
    if (!own.dropped.empty()) return trace_.drop(own.dropped, event.number);
    trace_.add(event, *own.near);
    if (own.far) trace_.add(event, *own.far);
  }

  Trace finish(const JsonEventsRead& read) && {
    trace_.finish_file(read);
    Trace trace = std::move(trace_).finish();
    trace.schedule = std::move(schedule_);
    return trace;
  }

 private:
  void name_schedule(std::string_view process) {
    schedule_ = process.substr(0, std::min(process.rfind(kReplicaInName), process.size()));
  }

  TraceBuilder trace_;
  std::string schedule_;
};

Trace read(const std::string& path) {
  Import import(path);
  const auto read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    import.take(event);
    return true;
  });
  return std::move(import).finish(read);
}

bool wrote(const JsonEvent& event) {
  return event.phase == 'X' && is_own_name(event.name);
}

}  // namespace
}  // namespace own

extern const EventFormat kOwnTrace = {"spillway", own::wrote, own::read};

}  // namespace spillway
