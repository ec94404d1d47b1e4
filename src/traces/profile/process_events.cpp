#include "traces/profile/process_events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/number.h"
#include "traces/files/json_events.h"
#include "traces/files/name_index.h"
#include "traces/formats/kineto_names.h"
#include "traces/profile/linked_work.h"
#include "traces/profile/torch_names.h"

namespace spillway {
namespace profile_reader {
namespace {

enum Argument : std::size_t {
  kPassName,
  kAnnotation,
  kCorrelation,
  kForwardThread,
  kCollective,
  kIn,
  kOut,
  kType,
  kDevices,
  kGroup
};
constexpr std::array<std::string_view, 10> kArguments = {
    "name",          "annotation",     "correlation", "Fwd thread id", "Collective name",
    "In msg nelems", "Out msg nelems", "dtype",       "Group size",    "Process Group Description"};

// Keeps the outermost ranges of each thread. Profilers write a thread's ranges by their starts, so a range
// that ends inside the last kept one of its thread lies in it.
class Outermost {
 public:
  bool takes(const HostRange& range) {
    const auto [last, fresh] = end_.try_emplace(range.thread, range.end);
    if (!fresh && range.end <= last->second) return false;
    last->second = range.end;
    return true;
  }

 private:
  std::unordered_map<std::uint32_t, Seconds> end_;
};

class Reader {
 public:
  // Returns false if the event names a pass of a pipeline.
  bool take(const JsonEvent& event) {
    if (event.phase != 'X') return true;
    const bool annotation = event.category == "user_annotation" || event.category == "gpu_user_annotation";
    if (annotation && (pipeline_range(event.name) || is_overlapped_range(event.name))) return false;
    if (is_work_of_a_device(event.category)) return take_work(event);
    if (is_launch_category(event.category)) return take_launch(event), true;
    if (event.category == "user_annotation" || is_operator_category(event.category)) take_host(event);
    return true;
  }

  ProcessEvents finish(const std::string& path, const JsonEventsRead& read) &&;

 private:
  bool take_work(const JsonEvent& event);
  void take_launch(const JsonEvent& event);
  void take_host(const JsonEvent& event);
  void take_operator(const JsonEvent& event, const HostRange& range);

  std::optional<HostRange> range_of(const JsonEvent& event);
  std::uint32_t thread_of(const JsonEvent& event);
  std::uint32_t message_of(const JsonEvent& event);
  void use_the_host();
  void note_what_was_dropped();

  ProcessEvents events_;
  NameIndex names_, threads_, message_kinds_;
  std::string text_;
  std::optional<ClockReading> base_;
  std::vector<WorkLaunch> launches_;
  std::vector<std::uint64_t> correlations_;  // of each of events_.work; 0 if the file states none
  std::vector<DeviceWork> operators_;        // outermost, of the host
  Outermost outermost_, outermost_gradients_;
  std::size_t negative_ = 0, negative_first_ = 0, untimed_ = 0;
};

std::optional<HostRange> Reader::range_of(const JsonEvent& event) {
  if (!event.at || !event.duration_us || !std::isfinite(*event.duration_us)) {
    ++untimed_;
    return std::nullopt;
  }
  if (*event.duration_us < 0) {
    if (negative_++ == 0) negative_first_ = event.number;
    return std::nullopt;
  }
  if (!base_) base_ = *event.at;
  const Seconds start = event.at->since(*base_);
  return HostRange{start, start + microseconds(*event.duration_us), kUnknown};
}

std::uint32_t Reader::thread_of(const JsonEvent& event) {
  text_.assign(event.process).append("/").append(event.thread);
  return threads_[text_];
}

std::uint32_t Reader::message_of(const JsonEvent& event) {
  const std::string& stated = event.arguments[kCollective];
  const std::string operation(collective_in(stated.empty() ? event.name : stated));
  text_.assign(operation).append("/").append(event.arguments[kDevices]).append("/");
  const std::uint32_t index = message_kinds_[text_.append(event.arguments[kGroup])];
  if (index == events_.messages.size())
    events_.messages.push_back({operation, number_from<std::uint32_t>(event.arguments[kDevices]).value_or(0),
                                event.arguments[kGroup]});
  MessageKind& kind = events_.messages[index];
  const auto in = number_from<double>(event.arguments[kIn]), out = number_from<double>(event.arguments[kOut]);
  const auto width = element_bytes(event.arguments[kType]);
  if (in && out && width) {
    ++kind.sized;
    kind.bytes += std::max(*in, *out) * *width;
  }
  return index;
}

bool Reader::take_work(const JsonEvent& event) {
  if (pipeline_range(event.arguments[kPassName]) || pipeline_range(event.arguments[kAnnotation]))
    return false;
  const auto range = range_of(event);
  if (!range) return true;
  const bool communicates = is_communication_work(event.name);
  const WorkKind kind = communicates                          ? WorkKind::Communicating
                        : is_copy(event.category, event.name) ? WorkKind::Copying
                                                              : WorkKind::Computing;
  events_.work.push_back({range->start, range->end, std::nullopt, kUnknown, names_[event.name],
                          communicates ? message_of(event) : kUnknown, kind});
  correlations_.push_back(number_from<std::uint64_t>(event.arguments[kCorrelation]).value_or(0));
  return true;
}

void Reader::take_launch(const JsonEvent& event) {
  const auto correlation = number_from<std::uint64_t>(event.arguments[kCorrelation]);
  if (!correlation || *correlation == 0) return;
  if (const auto range = range_of(event)) launches_.push_back({*correlation, range->start, thread_of(event)});
}

void Reader::take_host(const JsonEvent& event) {
  auto range = range_of(event);
  if (!range) return;
  range->thread = thread_of(event);
  const auto step = profiler_step(event.name);
  if (step) return events_.steps.push_back({*range, names_["ProfilerStep#"], *step});
  if (is_optimizer_range(event.name)) return events_.optimizer.push_back(*range);
  if (event.category == "user_annotation") {
    if (const auto mark = numbered_mark(event.name))
      events_.marks.push_back({*range, names_[mark->prefix], mark->number});
    return;
  }
  take_operator(event, *range);
}

void Reader::take_operator(const JsonEvent& event, const HostRange& range) {
  const bool autograd = is_autograd_range(event.name);
  if (autograd) events_.autograd.push_back(range);
  const std::string& thread = event.arguments[kForwardThread];
  const bool gradient = !autograd && !thread.empty() && thread != "0";
  if (gradient && outermost_gradients_.takes(range)) events_.gradients.push_back(range);
  if (!events_.work.empty() || !outermost_.takes(range)) return;
  const bool communicates = is_communication_operator(event.name);
  operators_.push_back({range.start, range.end, range.start, range.thread, names_[event.name],
                        communicates ? message_of(event) : kUnknown,
                        communicates ? WorkKind::Communicating : WorkKind::Computing});
}

void Reader::use_the_host() {
  if (!events_.work.empty() || operators_.empty()) return;
  events_.work = std::move(operators_);
  std::ranges::stable_sort(events_.work, {}, &DeviceWork::start);
  events_.of_the_host = true;
}

void Reader::note_what_was_dropped() {
  if (negative_ > 0)
    events_.notes.push_back(
        {NoteKind::Dropped, negative_,
         "events with a negative duration (the first is event " + std::to_string(negative_first_) + ")"});
  if (untimed_ > 0)
    events_.notes.push_back({NoteKind::Dropped, untimed_, "events without a start or a duration"});
}

ProcessEvents Reader::finish(const std::string& path, const JsonEventsRead& read) && {
  if (!events_.work.empty()) operators_ = {};
  link_work(events_, std::exchange(launches_, {}), std::exchange(correlations_, {}));
  use_the_host();
  note_what_was_dropped();
  events_.process = kineto_process(path, read);
  events_.device = std::string(read.outside_value("/deviceProperties/0/name"));
  events_.names = names_.texts();
  return std::move(events_);
}

}  // namespace
}  // namespace profile_reader

std::string_view to_string(PassPhase phase) {
  constexpr std::array<std::string_view, 4> words = {"unknown", "forward", "backward", "optimizer"};
  return words[static_cast<std::size_t>(phase)];
}

std::optional<ProcessEvents> read_process(const std::string& path) {
  profile_reader::Reader reader;
  const JsonEventsRead read = read_json_events(path, profile_reader::kArguments,
                                               [&](const JsonEvent& event) { return reader.take(event); });
  if (read.stopped) return std::nullopt;
  return std::move(reader).finish(path, read);
}

}  // namespace spillway
