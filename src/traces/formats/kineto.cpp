#include "traces/formats/kineto.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "traces/formats/kineto_file.h"
#include "traces/formats/kineto_ranks.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_format_list.h"

namespace spillway {
namespace {

struct File {
  KinetoProcess process;
  std::size_t first;  // of its events in the trace
  std::size_t end;
  std::int64_t base_ns;  // the origin of its time stamps
};

std::int64_t base_of(const JsonEventsRead& read) {
  return number_from<std::int64_t>(read.outside_value("/baseTimeNanoseconds")).value_or(0);
}

// Moves the events to the base of another file.
void rebase(std::span<TraceEvent> events, std::int64_t nanoseconds) {
  for (TraceEvent& event : events) event.start += Seconds(static_cast<double>(nanoseconds) * 1e-9);
}

std::set<std::uint16_t> stages_of(std::span<const TraceEvent> events) {
  std::set<std::uint16_t> stages;
  for (const TraceEvent& event : events)
    if (is_compute(event.kind) && event.stage != kStageOfItsRank) stages.insert(event.stage);
  return stages;
}

File read_file(const std::string& path, TraceBuilder& trace) {
  trace.start_file(path);
  const std::size_t first = trace.events().size();
  KinetoFile file(trace);
  const JsonEventsRead read = read_json_events(path, kNamesOfPasses, [&](const JsonEvent& event) {
    file.take(event);
    return true;
  });
  file.finish();
  trace.finish_file(read);
  const std::size_t end = trace.events().size();
  File result{kineto_process(path, read), first, end, base_of(read)};
  result.process.passes =
      std::any_of(trace.events().begin() + static_cast<std::ptrdiff_t>(first), trace.events().end(),
                  [](const TraceEvent& event) { return is_compute(event.kind); });
  result.process.stages = stages_of(std::span(trace.events()).subspan(first, end - first));
  return result;
}

void place(std::span<TraceEvent> events, KinetoPlace place) {
  for (TraceEvent& event : events) {
    event.rank = place.rank;
    event.replica = place.replica;
    const bool of_its_rank =
        event.stage == kStageOfItsRank || !(is_compute(event.kind) || is_transfer(event.kind));
    if (of_its_rank) event.stage = place.rank;
  }
}

bool is_of_kineto(const JsonEvent& event) {
  constexpr std::string_view categories[] = {
      "cpu_op",          "kernel",          "cuda_runtime",        "cuda_driver", "gpu_memcpy", "gpu_memset",
      "user_annotation", "python_function", "gpu_user_annotation", "Kernel",      "Operator",   "Runtime"};
  return std::find(std::begin(categories), std::end(categories), event.category) != std::end(categories);
}

// Returns the files in the order of their names. Other files of the folder are ignored.
std::vector<std::string> json_files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if ((name.ends_with(".json") || name.ends_with(".json.gz")) && is_plain_file(entry))
      paths.push_back(entry.string());
  }
  return paths;
}

// Folders of other formats may hold JSON files, too.
bool is_folder_of_kineto(const std::string& folder) {
  const auto is_of = [&](const FolderFormat* other) {
    return other != &kKinetoFolder && other->is_of(folder);
  };
  return !json_files_in(folder).empty() &&
         std::none_of(kEveryFolderFormat.begin(), kEveryFolderFormat.end(), is_of);
}

Trace read_kineto_folder(const std::string& folder) {
  const std::vector<std::string> files = json_files_in(folder);
  std::vector<Violation> violations;
  for (const std::string& file : files)
    if (&event_format_of(file) != &kKineto)
      violations.push_back(
          {file, "/", "a profile of one process of a PyTorch job", "a trace of another kind"});
  if (!violations.empty()) throw InputError(std::move(violations));
  return read_kineto(files);
}

}  // namespace

Trace read_kineto(const std::vector<std::string>& paths) {
  TraceBuilder trace("kineto");
  std::vector<File> files;
  std::vector<KinetoProcess> processes;
  for (const std::string& path : paths) {
    files.push_back(read_file(path, trace));
    processes.push_back(files.back().process);
  }
  std::vector<Note> notes;
  const std::vector<KinetoPlace> places = place_processes(processes, notes);
  for (Note& note : notes) trace.note(note.kind, note.count, std::move(note.text));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto events = std::span(trace.events()).subspan(files[i].first, files[i].end - files[i].first);
    rebase(events, files[i].base_ns - files.front().base_ns);
    place(events, places[i]);
  }
  trace.number_steps();
  return std::move(trace).finish();
}

std::vector<std::string> kineto_files(const std::string& path) {
  if (is_folder(path)) {
    if (!is_folder_of_kineto(path)) return {};
    const std::vector<std::string> files = json_files_in(path);
    const bool all =
        std::ranges::all_of(files, [](const auto& file) { return &event_format_of(file) == &kKineto; });
    return all ? files : std::vector<std::string>();
  }
  const std::string beginning = beginning_of(path);
  const bool events = begins_json(beginning) && !begins_trace(beginning);
  return events && &event_format_of(path) == &kKineto ? std::vector{path} : std::vector<std::string>();
}

extern const EventFormat kKineto = {"PyTorch", is_of_kineto,
                                    [](const std::string& path) { return read_kineto({path}); }};

extern const FolderFormat kKinetoFolder = {"one JSON file per process", is_folder_of_kineto,
                                           read_kineto_folder};

}  // namespace spillway
