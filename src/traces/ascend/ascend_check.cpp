#include "traces/ascend/ascend_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "traces/ascend/ascend_communication.h"
#include "traces/events/union_of_intervals.h"
#include "traces/files/line_source.h"

namespace spillway {
namespace {

using Device = std::tuple<std::uint32_t, std::uint16_t, std::uint16_t>;  // step, replica, rank

void note_agreement(Trace& trace, std::size_t agree, std::size_t differ, const std::string& what) {
  if (agree > 0) trace.notes.push_back({NoteKind::Read, agree, what + " agree"});
  if (differ > 0) trace.notes.push_back({NoteKind::Differs, differ, what + " do not agree"});
}

std::map<Device, Seconds> busy_times(const Trace& trace) {
  std::map<Device, std::vector<Interval>> kernels;
  for (const TraceEvent& event : trace.events)
    if (event.kind == TraceKind::Kernel)
      kernels[{event.step, event.replica, event.rank}].push_back({event.start, event.end()});
  std::map<Device, Seconds> busy;
  for (auto& [device, intervals] : kernels) busy[device] = covered(union_of(std::move(intervals)));
  return busy;
}

// [step as the file names it]: the time in the column "Computing".
std::map<std::string, Seconds, std::less<>> computing_times(const std::string& path) {
  LineSource lines(path);
  std::vector<std::string_view> fields;
  std::map<std::string, Seconds, std::less<>> times;
  const auto header = lines.next();
  if (!header) return times;
  split_csv(*header, fields);
  const auto step =
      static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "Step") - fields.begin());
  const auto computing =
      static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "Computing") - fields.begin());
  while (const auto line = lines.next()) {
    split_csv(*line, fields);
    if (std::max(step, computing) >= fields.size()) continue;
    const auto time = number_from<double>(fields[computing]);
    if (!time)
      throw InputError({{path, lines.place(), "a time in microseconds", std::string(fields[computing])}});
    times[std::string(fields[step])] = microseconds(*time);
  }
  return times;
}

std::uint16_t narrow(std::uint32_t index) {
  return static_cast<std::uint16_t>(index);
}

}  // namespace

void check_directions(Trace& trace, const std::vector<AscendRank>& ranks) {
  using Message = std::pair<Device, std::string_view>;
  std::set<Message> messages;
  std::set<Message> received;
  for (const TraceEvent& event : trace.events) {
    if (!is_transfer(event.kind)) continue;
    const Message message{{event.step, event.replica, event.rank}, trace.names[event.name]};
    messages.insert(message);
    const bool comes_in = event.kind == TraceKind::ReceiveForward || event.kind == TraceKind::ReceiveBackward;
    if (comes_in) received.insert(message);
  }
  std::size_t agree = 0;
  std::size_t differ = 0;
  for (const AscendRank& rank : ranks) {
    const std::string file = rank.file("communication.json");
    if (file.empty()) continue;
    for (const AscendOperation& operation : read_ascend_communication(file)) {
      const auto step = std::find(trace.steps.begin(), trace.steps.end(), operation.step);
      const Message message{{static_cast<std::uint32_t>(step - trace.steps.begin()), narrow(rank.replica),
                             narrow(rank.pipeline_rank)},
                            operation.name};
      if (!messages.contains(message)) continue;
      ++(received.contains(message) != operation.transits.empty() ? agree : differ);
    }
  }
  note_agreement(trace, agree, differ,
                 "messages whose inferred direction and bytes received (communication.json)");
}

void check_computing(Trace& trace, const std::vector<AscendRank>& ranks) {
  constexpr double kTolerance = 0.01;
  const auto busy = busy_times(trace);
  std::size_t agree = 0;
  std::size_t differ = 0;
  for (const AscendRank& rank : ranks) {
    const std::string file = rank.file("step_trace_time.csv");
    if (file.empty()) continue;
    const auto computing = computing_times(file);
    trace.files.push_back(file);
    for (std::uint32_t step = 0; step < trace.steps.size(); ++step) {
      const auto measured = busy.find({step, narrow(rank.replica), narrow(rank.pipeline_rank)});
      const auto told = computing.find(trace.steps[step]);
      if (measured == busy.end() || told == computing.end()) continue;
      const Seconds off = measured->second - told->second;
      ++(std::abs(off.value()) <= kTolerance * told->second.value() ? agree : differ);
    }
  }
  note_agreement(trace, agree, differ,
                 "steps of a device whose kernels' time and \"Computing\" (step_trace_time.csv)");
}

}  // namespace spillway
