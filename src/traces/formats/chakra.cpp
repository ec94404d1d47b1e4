// Reads execution traces of MLCommons Chakra, a file NAME.N.et for each rank, as a Trace. It reads those that
// `spillway derive --format chakra` writes. It also reads others, if their nodes are named like the passes of
// torch.distributed.pipelining.
//
// Nodes with a start keep it. Chakra's own files are programs: they state durations and dependencies. Without
// a start, each node begins when all nodes that it depends on are done (chakra_play.h). A node that states
// its replica, rank, stage and microbatch is ours. Other computing nodes are passes if their name says so,
// and kernels if not. In a call stack a pass of the host is what it launched (chakra_calls.h). Other nodes of
// the host, of memory and of metadata are dropped.
#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "traces/files/name_index.h"
#include "traces/formats/chakra_calls.h"
#include "traces/formats/chakra_import.h"
#include "traces/formats/kineto_names.h"
#include "traces/formats/kineto_ranks.h"
#include "traces/formats/own_names.h"
#include "traces/formats/pass_repeats.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace chakra {
namespace {

constexpr std::string_view kEnding = ".et";

std::vector<ChakraFile> read_files(const std::vector<std::string>& paths) {
  std::vector<ChakraFile> files;
  for (const std::string& path : paths)
    files.push_back({path, number_of_file(path, files.size()), read_chakra_nodes(path)});
  return files;
}

bool is_ours(const ChakraNode& node) {
  return !node.at(ChakraAttribute::Replica).empty() && !node.at(ChakraAttribute::Rank).empty();
}

std::optional<TraceEvent> kept(OwnEvent own, ChakraType type) {
  if (!own.near) return std::nullopt;
  if (!is_transfer(own.near->kind)) return own.near;
  if (type == ChakraType::Send) return own.near;
  return type == ChakraType::Receive ? own.far : std::nullopt;  // a waiting sender is no event
}

std::optional<TraceEvent> own_part(const ChakraNode& node) {
  return kept(own_event(node.name, std::span(node.attributes).first(kOwnArguments.size())), node.type);
}

std::optional<TraceEvent> other_part(const ChakraNode& node, bool call_stack) {
  TraceEvent event{};
  event.stage = kStageOfItsRank;
  event.microbatch = kUnknown;
  if (const auto pass = pipeline_range(node.name)) {
    event.kind = pass->kind;
    event.stage = pass->stage;
    event.microbatch = pass->microbatch;
    return event;
  }
  event.kind = node.type == ChakraType::Compute ? TraceKind::Kernel : TraceKind::Collective;
  // In a call stack an operator of the host launches the collective, which is a node of its own.
  const bool on_host = is_host_node(node) && (call_stack || node.type == ChakraType::Compute);
  const bool device = node.type >= ChakraType::Compute && !on_host;
  return device ? std::optional(event) : std::nullopt;
}

class Import {
 public:
  Import(std::vector<ChakraFile> files, std::string_view format) : files_(std::move(files)) {
    trace_.format = format;
    for (const ChakraFile& file : files_) trace_.files.push_back(file.path);
    trace_.steps = {"0"};
  }

  Trace read() && {
    const auto times = timed();
    for (std::size_t i = 0; i < files_.size(); ++i) add(files_[i], times[i]);
    if (trace_.events.empty())
      throw InputError({{trace_.files.front(), "/", "nodes that compute or communicate", "none"}});
    if (!ours_) place_files();
    if (elsewhere_ > 0)
      trace_.notes.push_back(
          {NoteKind::Missing, elsewhere_,
           "passes of the host that launched no kernel: autograd launches a backward's from "
           "a thread of its own, which is not in the call stack"});
    if (dropped_ > 0)
      trace_.notes.push_back(
          {NoteKind::Dropped, dropped_,
           "nodes of the host, of memory, of bookkeeping, and of regions that are not pipelined"});
    const Seconds first = std::ranges::min_element(trace_.events, {}, &TraceEvent::start)->start;
    for (TraceEvent& event : trace_.events) event.start -= first;
    trace_.origin_s = first.value();
    trace_.names = names_.texts();
    normalise(trace_);
    return std::move(trace_);
  }

 private:
  std::vector<std::vector<ChakraTimes>> timed() {
    bool measured = false;
    for (const ChakraFile& file : files_)
      measured = measured || std::ranges::any_of(file.nodes, [](const ChakraNode& node) {
                   return node.start_us.has_value();
                 });
    if (!measured) {
      trace_.notes.push_back(
          {NoteKind::Guessed, 0, "nodes have no start times, so each starts when its dependencies are done"});
      return played(files_, trace_.notes);
    }
    std::vector<std::vector<ChakraTimes>> all;
    for (const ChakraFile& file : files_) {
      all.emplace_back();
      for (const ChakraNode& node : file.nodes) {
        const Seconds start = microseconds(node.start_us.value_or(0));
        all.back().push_back({start, start + Seconds(node.duration_ns * 1e-9)});
      }
    }
    return all;
  }

  void add(const ChakraFile& file, std::vector<ChakraTimes> times) {
    begins_.push_back(trace_.events.size());
    const bool call_stack = is_call_stack(file.nodes);
    const auto spans = call_stack ? spans_of_passes(file.nodes, times)
                                  : std::vector<std::optional<ChakraTimes>>(file.nodes.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const ChakraNode& node = file.nodes[i];
      ours_ = ours_ || is_ours(node);
      std::optional<TraceEvent> event = is_ours(node) ? own_part(node) : other_part(node, call_stack);
      if (event && call_stack && is_host_node(node)) {
        if (spans[i]) times[i] = *spans[i];
        if (!spans[i]) event.reset(), ++elsewhere_;
      }
      // As in our other traces, a reduction that takes no time is no event.
      if (event && event->kind == TraceKind::Collective && !(times[i].start < times[i].end)) event.reset();
      if (!event) {
        ++dropped_;
        continue;
      }
      event->start = times[i].start;
      event->duration = times[i].end - times[i].start;
      event->name = names_[node.name];
      trace_.events.push_back(*event);
    }
  }

  std::span<TraceEvent> events_of(std::size_t file) {
    const std::size_t end = file + 1 < begins_.size() ? begins_[file + 1] : trace_.events.size();
    return std::span(trace_.events).subspan(begins_[file], end - begins_[file]);
  }

  void place_files() {
    std::vector<KinetoProcess> processes;
    std::uint32_t steps = 1;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      KinetoProcess process{files_[i].path, number_from<std::uint16_t>(files_[i].number), {}, {}, {}, false};
      for (const TraceEvent& event : events_of(i)) {
        process.passes = process.passes || is_compute(event.kind);
        if (is_compute(event.kind) && event.stage != kStageOfItsRank) process.stages.insert(event.stage);
      }
      processes.push_back(std::move(process));
      steps = std::max(steps, number_repeats(events_of(i)));
    }
    const std::vector<KinetoPlace> places = place_processes(processes, trace_.notes);
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (TraceEvent& event : events_of(i)) {
        event.rank = places[i].rank;
        event.replica = places[i].replica;
        if (event.stage == kStageOfItsRank) event.stage = event.rank;
      }
    for (std::uint32_t step = 1; step < steps; ++step) trace_.steps.push_back(std::to_string(step));
  }

  std::vector<ChakraFile> files_;
  std::vector<std::size_t> begins_ = {};  // [file] its first event
  NameIndex names_ = {};
  bool ours_ = false;
  std::size_t dropped_ = 0, elsewhere_ = 0;
  Trace trace_ = {};
};

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(folder))
    if (entry.filename().string().ends_with(kEnding) && is_plain_file(entry)) paths.push_back(entry.string());
  return paths;
}

Trace read_et(const std::vector<std::string>& paths) {
  return import_chakra(read_files(paths), "chakra");
}

}  // namespace
}  // namespace chakra

Trace import_chakra(std::vector<ChakraFile> files, std::string_view format) {
  return chakra::Import(std::move(files), format).read();
}

std::string number_of_file(const std::string& path, std::size_t place) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  const std::string_view stem = name.substr(0, std::min(name.rfind('.'), name.size()));
  const std::string_view digits = stem.substr(stem.find_last_not_of("0123456789") + 1);
  const bool numbered = !digits.empty() && digits.size() < stem.size() && stem.size() < name.size();
  return numbered ? std::string(digits) : std::to_string(place);
}

extern const FolderFormat kChakraFolder = {
    "execution traces of Chakra (.et)",
    [](const std::string& folder) { return !chakra::files_in(folder).empty(); },
    [](const std::string& folder) { return chakra::read_et(chakra::files_in(folder)); }};

extern const FileFormat kChakra = {"an execution trace of Chakra", begins_chakra,
                                   [](const std::string& path) { return chakra::read_et({path}); }};

}  // namespace spillway
