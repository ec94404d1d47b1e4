// Reads reports of Nsight Systems as SQLite, one file or a folder with a report of each node, as a Trace.
//
// NVTX ranges that name a pass (kineto_names.h) become passes. Such a pass lasts from the first start to the
// last end of the kernels that the process launched during the range. Any thread may have launched them,
// because another thread launches a backward's. A range that launches nothing keeps the host's times. All
// other ranges become annotations. Each process is one rank of the job.
//
// Example: range PP:0F0 [0, 10) us launches kernels [5, 20) and [25, 40) at 1 and 8 us. The forward is [5,
// 40).
#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/files.h"
#include "traces/events/trace.h"
#include "traces/files/name_index.h"
#include "traces/formats/kineto_names.h"
#include "traces/formats/kineto_ranks.h"
#include "traces/formats/nsight_report.h"
#include "traces/formats/pass_repeats.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace nsight {
namespace {

// emit_nvtx of PyTorch appends the operator's number to its name: "PP:0F0, seq = 3".
std::string_view plain(std::string_view name) {
  return name.substr(0, name.find(','));
}

// Returns the extent of the kernels launched in each span, or {0, 0} if there are none. If spans are nested,
// a launch belongs to the one that began last.
std::vector<NsightSpan> work_of(std::span<const NsightSpan> spans, const NsightProcess& process) {
  std::map<std::int64_t, NsightSpan> kernels;  // by correlation: a graph's launch has many kernels
  for (const NsightKernel& kernel : process.kernels) {
    const auto [known, fresh] = kernels.emplace(kernel.correlation, kernel);
    known->second.end_ns = std::max(known->second.end_ns, kernel.end_ns);
  }
  std::vector<NsightSpan> work(spans.size(), NsightSpan{0, 0});
  std::vector<std::size_t> open;
  std::size_t next = 0;
  for (const NsightLaunch& launch : process.launches) {
    while (next < spans.size() && spans[next].start_ns <= launch.start_ns) open.push_back(next++);
    while (!open.empty() && spans[open.back()].end_ns <= launch.start_ns) open.pop_back();
    const auto kernel = kernels.find(launch.correlation);
    if (open.empty() || kernel == kernels.end()) continue;
    NsightSpan& all = work[open.back()];
    const bool first = all.end_ns == 0;
    all.start_ns = first ? kernel->second.start_ns : std::min(all.start_ns, kernel->second.start_ns);
    all.end_ns = std::max(all.end_ns, kernel->second.end_ns);
  }
  return work;
}

class Import {
 public:
  void add(const std::string& path) {
    trace_.files.push_back(path);
    const NsightReport report = read_nsight_report(path);
    if (files_.empty()) epoch_ns_ = report.epoch_ns;
    for (const auto& [id, process] : report.processes) add(path, process, report.epoch_ns - epoch_ns_);
  }

  Trace finish() && {
    if (trace_.events.empty())
      throw InputError({{trace_.files.front(), "/", "a report with ranges of NVTX or kernels", "neither"}});
    std::vector<Note> notes;
    const std::vector<KinetoPlace> places = place_processes(files_, notes);
    trace_.notes.insert(trace_.notes.end(), notes.begin(), notes.end());
    for (std::size_t i = 0; i < places.size(); ++i) place(i, places[i]);
    for (std::uint32_t step = 0; step < steps_; ++step) trace_.steps.push_back(std::to_string(step));
    note(NoteKind::Guessed, steps_ > 1 ? steps_ : 0, "steps: a repeated pass begins the next step");
    note(NoteKind::Guessed, of_host_,
         "passes with the host's times, since no kernel is known to be launched in them");
    trace_.format = "nsight-systems";
    trace_.names = names_.texts();
    const Seconds first = std::ranges::min_element(trace_.events, {}, &TraceEvent::start)->start;
    for (TraceEvent& event : trace_.events) event.start -= first;
    trace_.origin_s = static_cast<double>(epoch_ns_) * 1e-9 + first.value();
    normalise(trace_);
    return std::move(trace_);
  }

 private:
  void note(NoteKind kind, std::size_t count, const char* text) {
    if (count > 0) trace_.notes.push_back({kind, count, text});
  }

  void add(const std::string& path, const NsightProcess& process, std::int64_t later_ns) {
    later_ns_ = later_ns;
    const std::size_t begin = trace_.events.size();
    KinetoProcess what{path, {}, {}, {}, {}, false};
    add_ranges(process, what);
    for (const NsightKernel& kernel : process.kernels) {
      const bool message = is_communication_kernel(kernel.name);
      add(kernel, kernel.name, message ? TraceKind::Collective : TraceKind::Kernel, {});
      trace_.events.back().stream =
          static_cast<std::uint8_t>(std::clamp<std::int64_t>(kernel.stream, 0, 255));
    }
    if (trace_.events.size() == begin) return;
    steps_ = std::max(steps_, number_repeats(std::span(trace_.events).subspan(begin)));
    files_.push_back(std::move(what));
    begins_.push_back(begin);
  }

  void add_ranges(const NsightProcess& process, KinetoProcess& what) {
    std::vector<NsightSpan> spans;
    std::vector<std::pair<PipelineRange, const NsightRange*>> passes;
    for (const NsightRange& range : process.ranges) {
      if (const auto pass = pipeline_range(plain(range.name))) {
        spans.push_back(range);
        passes.push_back({*pass, &range});
      } else if (!is_overlapped_range(plain(range.name))) {
        add(range, range.name, TraceKind::Annotation, {});
      }
    }
    const std::vector<NsightSpan> work = work_of(spans, process);
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const auto& [pass, range] = passes[i];
      of_host_ += work[i].end_ns == 0;
      add(work[i].end_ns == 0 ? spans[i] : work[i], range->name, pass.kind, pass);
      what.passes = what.passes || is_compute(pass.kind);
      if (is_compute(pass.kind) && pass.stage != kStageOfItsRank) what.stages.insert(pass.stage);
    }
  }

  void add(NsightSpan span, std::string_view name, TraceKind kind, std::optional<PipelineRange> pass) {
    TraceEvent event{};
    event.start = Seconds(static_cast<double>(span.start_ns + later_ns_) * 1e-9);
    event.duration = Seconds(static_cast<double>(span.end_ns - span.start_ns) * 1e-9);
    event.kind = kind;
    event.name = names_[name];
    event.stage = pass ? pass->stage : kStageOfItsRank;
    event.microbatch = pass ? pass->microbatch : kUnknown;
    trace_.events.push_back(event);
  }

  void place(std::size_t process, KinetoPlace place) {
    const std::size_t end = process + 1 < begins_.size() ? begins_[process + 1] : trace_.events.size();
    for (std::size_t i = begins_[process]; i < end; ++i) {
      TraceEvent& event = trace_.events[i];
      event.rank = place.rank;
      event.replica = place.replica;
      if (event.stage == kStageOfItsRank) event.stage = place.rank;
    }
  }

  Trace trace_;
  NameIndex names_;
  std::vector<KinetoProcess> files_;
  std::vector<std::size_t> begins_;  // [process] its first event
  std::int64_t epoch_ns_ = 0;        // of the first report
  std::int64_t later_ns_ = 0;        // how much later this report began
  std::uint32_t steps_ = 1;
  std::size_t of_host_ = 0;
};

Trace read(const std::vector<std::string>& paths) {
  Import import;
  for (const std::string& path : paths) import.add(path);
  return std::move(import).finish();
}

}  // namespace
}  // namespace nsight

extern const FolderFormat kNsightFolder = {
    "reports of Nsight Systems (.sqlite)",
    [](const std::string& folder) { return !nsight_reports(folder).empty(); },
    [](const std::string& folder) { return nsight::read(nsight_reports(folder)); }};

extern const FileFormat kNsight = {"a report of Nsight Systems as SQLite",
                                   [](std::string_view text) { return text.starts_with("SQLite format 3"); },
                                   [](const std::string& path) { return nsight::read({path}); }};

}  // namespace spillway
