#include "traces/events/trace.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "base/printable.h"

namespace spillway {
namespace {

auto sort_key(const TraceEvent& event) {
  return std::make_tuple(event.step, event.replica, event.rank, event.start, event.end(), event.kind,
                         event.stage, event.microbatch, event.stream, event.name);
}

// Sorts numbers first, by value. Without leading zeros, the longer number is the larger.
auto step_key(const std::string& step) {
  const bool number = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
  const std::string_view digits =
      std::string_view(step).substr(number ? std::min(step.find_first_not_of('0'), step.size()) : 0);
  return std::make_tuple(!number, number ? digits.size() : 0, digits, std::string_view(step));
}

// Puts step wanted[i] at place i and removes the events of other steps.
void take_steps(Trace& trace, const std::vector<std::uint32_t>& wanted) {
  std::vector<std::uint32_t> place(trace.steps.size(), kUnknown);
  std::vector<std::string> steps;
  for (const std::uint32_t step : wanted) {
    place[step] = static_cast<std::uint32_t>(steps.size());
    steps.push_back(trace.steps[step]);
  }
  for (TraceEvent& event : trace.events) event.step = place[event.step];
  std::erase_if(trace.events, [](const TraceEvent& event) { return event.step == kUnknown; });
  trace.steps = std::move(steps);
}

std::string known_steps(const Trace& trace) {
  constexpr std::size_t kShown = 8;
  std::string known;
  for (std::size_t i = 0; i < std::min(kShown, trace.steps.size()); ++i)
    known += (i == 0 ? "" : ", ") + printable(trace.steps[i]);
  return trace.steps.size() > kShown ? known + ", ... " + printable(trace.steps.back()) : known;
}

}  // namespace

std::string_view to_string(TraceKind kind) {
  constexpr std::array<std::string_view, 13> words = {
      "forward",       "backward",      "backward-input", "backward-weight", "send-forward", "recv-forward",
      "send-backward", "recv-backward", "collective",     "optimizer",       "kernel",       "annotation",
      "host"};
  return words[static_cast<std::size_t>(kind)];
}

bool is_compute(TraceKind kind) {
  return kind <= TraceKind::BackwardWeight;
}

bool is_transfer(TraceKind kind) {
  return kind >= TraceKind::SendForward && kind <= TraceKind::ReceiveBackward;
}

void normalise(Trace& trace) {
  auto& events = trace.events;
  const auto before = [](const TraceEvent& a, const TraceEvent& b) { return sort_key(a) < sort_key(b); };
  if (!std::is_sorted(events.begin(), events.end(), before)) std::sort(events.begin(), events.end(), before);
  const auto same = std::unique(events.begin(), events.end());
  if (same == events.end()) return;
  const auto count = static_cast<std::size_t>(events.end() - same);
  events.erase(same, events.end());
  trace.notes.push_back({NoteKind::Dropped, count, "events that the file holds twice"});
}

void order_steps(Trace& trace) {
  std::vector<std::uint32_t> order(trace.steps.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return step_key(trace.steps[a]) < step_key(trace.steps[b]);
  };
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::sort(order.begin(), order.end(), before);
  take_steps(trace, order);
}

void keep_steps(Trace& trace, const std::vector<std::string>& steps) {
  std::vector<Violation> unknown;
  std::vector<std::uint32_t> kept;
  for (const std::string& step : steps) {
    const auto found = std::find(trace.steps.begin(), trace.steps.end(), step);
    if (found == trace.steps.end())
      unknown.push_back({"command line", "--step", "one of " + known_steps(trace), in_quotes(step)});
    kept.push_back(static_cast<std::uint32_t>(found - trace.steps.begin()));
  }
  if (!unknown.empty()) throw InputError(std::move(unknown));
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  const std::size_t left_out = trace.steps.size() - kept.size();
  if (left_out == 0) return;
  take_steps(trace, kept);
  trace.notes.push_back({NoteKind::Dropped, left_out, "steps not asked for"});
}

}  // namespace spillway
