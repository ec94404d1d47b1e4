// Reads trace_view.json of the Ascend PyTorch profiler, and msprof*.json of msprof, which MindStudio shows.
// Each is an array of complete events in microseconds (also as text), whose processes are named by metadata
// events.
// Format: https://www.hiascend.com/document, "Timeline and Summary Data: trace_view.json" and "msprof
// (Timeline Report)".
// This reader follows that documentation. It was never tested on real output, and a note says so.
//
// Tasks of Ascend Hardware become kernels by stream. Operators of the communication layer (hcom_...) become
// collectives, and ProfilerStep# annotations. Pieces of a communication operator, the layers of the host, and
// the profiler's own sums are dropped and counted. The file does not state its rank, so it is 0. The file is
// read twice, because names may come after the events that they name.

#include <array>
#include <map>
#include <utility>

#include "traces/events/trace_builder.h"
#include "traces/formats/kineto_names.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace trace_view {
namespace {

constexpr std::string_view kArguments[] = {"name"};
constexpr std::string_view kHardware = "Ascend Hardware";
constexpr std::array<std::string_view, 2> kCommunication = {"HCCL", "Communication"};
constexpr std::array<std::string_view, 2> kOther = {"CANN", "Overlap Analysis"};

// Names by process, and by process and thread.
struct Names {
  std::map<std::string, std::string, std::less<>> processes;
  std::map<std::pair<std::string, std::string>, std::string> threads;
};

Names names_in(const std::string& path) {
  Names names;
  read_json_events(path, kArguments, [&](const JsonEvent& event) {
    if (event.phase != 'M') return true;
    if (event.name == "process_name") names.processes[event.process] = event.arguments[0];
    if (event.name == "thread_name") names.threads[{event.process, event.thread}] = event.arguments[0];
    return true;
  });
  return names;
}

bool is_communication(std::string_view process) {
  return process == kCommunication[0] || process == kCommunication[1];
}

class Import {
 public:
  explicit Import(const std::string& path) : trace_("ascend-trace-view"), names_(names_in(path)) {
    trace_.start_file(path);
  }

  void take(const JsonEvent& event) {
    if (event.phase == 'M') return;
    if (event.phase != 'X') return trace_.drop("events other than complete ones (ph is not X)", event.number);
    const auto process = names_.processes.find(event.process);
    const std::string_view layer = process == names_.processes.end() ? "" : std::string_view(process->second);
    if (layer == kHardware) return take_task(event);
    if (is_communication(layer)) return take_communication(event);
    if (profiler_step(event.name)) return keep(event, TraceKind::Annotation, 0);
    text_.assign("events of the layer ").append(layer.empty() ? "without a name" : layer);
    trace_.drop(text_, event.number);
  }

  Trace finish(const JsonEventsRead& read) && {
    trace_.finish_file(read);
    trace_.note(NoteKind::Guessed, 0, "read by the documentation of the format; not tested on real output");
    trace_.note(NoteKind::Guessed, 0, "rank 0, since the file does not state its rank");
    return std::move(trace_).finish();
  }

 private:
  void keep(const JsonEvent& event, TraceKind kind, std::uint8_t stream) {
    TraceEvent what{};
    what.kind = kind;
    what.microbatch = kUnknown;
    what.stream = stream;
    trace_.add(event, what);
  }

  void take_task(const JsonEvent& event) {
    if (event.name.starts_with("EVENT_") || event.name.starts_with("Notify"))
      return trace_.drop("records and waits of streams", event.number);
    keep(event, TraceKind::Kernel, stream_of(event));
  }

  void take_communication(const JsonEvent& event) {
    if (!event.name.starts_with("hcom_"))
      return trace_.drop("pieces of communication operators", event.number);
    keep(event, TraceKind::Collective, trace_.stream(event.thread));
  }

  // A track named "Stream 2" is stream 2, whatever the number of its thread.
  std::uint8_t stream_of(const JsonEvent& event) {
    constexpr std::string_view kStream = "Stream ";
    const auto name = names_.threads.find({event.process, event.thread});
    if (name == names_.threads.end() || !name->second.starts_with(kStream))
      return trace_.stream(event.thread);
    return trace_.stream(std::string_view(name->second).substr(kStream.size()));
  }

  TraceBuilder trace_;
  Names names_;
  std::string text_;  // a member, to reuse its memory for each dropped event
};

Trace read(const std::string& path) {
  Import import(path);
  const auto read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    import.take(event);
    return true;
  });
  return std::move(import).finish(read);
}

// Returns true if the event names a layer that only these files have.
bool wrote(const JsonEvent& event) {
  const std::string& name = event.arguments[0];
  return event.phase == 'M' && event.name == "process_name" &&
         (name == kHardware || name == kOther[0] || name == kOther[1]);
}

}  // namespace
}  // namespace trace_view

extern const EventFormat kAscendTraceView = {"Ascend's profiler", trace_view::wrote, trace_view::read};

}  // namespace spillway
