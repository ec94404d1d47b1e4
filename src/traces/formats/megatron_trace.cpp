// Reads traces of Megatron's pipeline as MegatronApp writes them. A trace is a bare array of B and E events
// "forward" and "backward" in microseconds, with one process per pipeline rank. The E's args hold microbatch,
// model_chunk and pp_rank. Format: https://github.com/OpenSQZ/MegatronApp, its sample of PP4 with 4 chunks.
//
// Stage = chunk * ranks + rank, as Megatron interleaves. Ranks are those in the file, from 0, and a note
// counts missing numbers between them. Each iteration is one step. Iteration marks and gradient reduction
// have no duration in the file, so they are dropped and counted.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number.h"
#include "traces/events/trace_builder.h"
#include "traces/files/json_events.h"
#include "traces/files/name_index.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace megatron {
namespace {

constexpr std::string_view kArguments[] = {"iteration", "microbatch", "model_chunk", "pp_rank"};
enum Argument { kIteration, kMicrobatch, kChunk, kRank };

// Pairs begin and end events of Chrome traces: an end closes the range that was opened last on its track.
class RangePairs {
 public:
  void begin(const JsonEvent& event, TraceBuilder& trace);

  // Returns when the range of this end event began. Returns nothing and counts the event as dropped if no
  // range is open on its track, or if the last one opened has another name. That range then stays open.
  std::optional<ClockReading> end(const JsonEvent& event, TraceBuilder& trace);

  // Counts ranges that are still open as dropped.
  void finish(TraceBuilder& trace) const;

 private:
  struct Open {
    std::uint32_t name;  // in the trace
    ClockReading at;
    std::size_t number;  // of its event
  };
  // Asynchronous events of one id have their own track.
  std::vector<Open>& track_of(const JsonEvent& event);

  std::map<std::string, std::vector<Open>> open_;
  std::string key_;  // a member, to reuse its memory for each event
};

std::vector<RangePairs::Open>& RangePairs::track_of(const JsonEvent& event) {
  key_ = event.process;
  key_.append(1, '/').append(event.thread).append(1, '/').append(event.id);
  return open_[key_];
}

void RangePairs::begin(const JsonEvent& event, TraceBuilder& trace) {
  if (!event.at) return trace.drop("events without a start", event.number);
  track_of(event).push_back({trace.name(event.name), *event.at, event.number});
}

std::optional<ClockReading> RangePairs::end(const JsonEvent& event, TraceBuilder& trace) {
  std::vector<Open>& open = track_of(event);
  // Chrome allows an end without a name.
  const bool fits = !open.empty() && (event.name.empty() || trace.names()[open.back().name] == event.name);
  if (!fits) return trace.drop("ends without a begin", event.number), std::nullopt;
  const ClockReading start = open.back().at;
  open.pop_back();
  return start;
}

void RangePairs::finish(TraceBuilder& trace) const {
  for (const auto& [track, open] : open_)
    for (const Open& range : open) trace.drop("begins without an end", range.number);
}

std::optional<TraceKind> kind_of(std::string_view name) {
  if (name == "forward") return TraceKind::Forward;
  if (name == "backward") return TraceKind::Backward;
  return std::nullopt;
}

bool is_edge(const JsonEvent& event) {
  return event.phase == 'B' || event.phase == 'E';
}

class Import {
 public:
  explicit Import(const std::string& path) : trace_("megatron") { trace_.start_file(path); }

  void take(const JsonEvent& event) {
    if (event.phase == 'M') return;
    if (is_edge(event) && event.at) follow_clock(event);
    if (event.phase == 'B') return pairs_.begin(event, trace_);
    if (event.phase == 'E') return take_end(event);
    trace_.drop("marks without a duration", event.number);
  }

  // Number of events that are earlier than the previous one on their track.
  std::size_t backwards() const { return backwards_; }
  void note(NoteKind kind, std::size_t count, std::string text) { trace_.note(kind, count, std::move(text)); }

  Trace finish(const JsonEventsRead& read) && {
    pairs_.finish(trace_);
    number_stages();
    trace_.number_steps();
    trace_.finish_file(read);
    return std::move(trace_).finish();
  }

 private:
  void follow_clock(const JsonEvent& event) {
    const auto [last, first] = last_.try_emplace({event.process, event.thread}, *event.at);
    if (!first && event.at->since(last->second) < Seconds()) ++backwards_;
    last->second = *event.at;
  }

  template <class Number>
  static std::optional<Number> number(const JsonEvent& event, Argument argument) {
    return number_from<Number>(event.arguments[argument]);
  }

  void take_end(const JsonEvent& event) {
    const auto start = pairs_.end(event, trace_);
    if (!start) return;
    TraceEvent what{};
    what.kind = kind_of(event.name).value_or(TraceKind::Host);
    what.step = number<std::uint32_t>(event, kIteration).value_or(0);
    what.microbatch = number<std::uint32_t>(event, kMicrobatch).value_or(kUnknown);
    const auto chunk = number<std::uint16_t>(event, kChunk);
    auto rank = number<std::uint16_t>(event, kRank);
    if (!rank) rank = number_from<std::uint16_t>(event.process);
    if (!rank) return trace_.drop("ranges without a pipeline rank", event.number);
    if (is_compute(what.kind) && (what.microbatch == kUnknown || !chunk))
      return trace_.drop("passes without microbatch or model chunk", event.number);
    what.rank = *rank;
    what.stage = chunk.value_or(0);  // the chunk, until all ranks are known
    trace_.add(event, *start, what);
  }

  void number_stages() {
    std::set<std::uint16_t> seen;
    for (const TraceEvent& event : trace_.events()) seen.insert(event.rank);
    if (seen.empty()) return;
    const auto ranks = static_cast<std::uint16_t>(*seen.rbegin() + 1);
    for (TraceEvent& event : trace_.events())
      event.stage = static_cast<std::uint16_t>(event.stage * ranks + event.rank);
    if (seen.size() < ranks)
      trace_.note(NoteKind::Missing, ranks - seen.size(), "ranks below the highest without events");
  }

  TraceBuilder trace_;
  RangePairs pairs_;
  std::map<std::pair<std::string, std::string>, ClockReading> last_;  // by process and thread
  std::size_t backwards_ = 0;
};

// Keeps begins and ends until they are sorted. Each takes 64 bytes, because there may be 10^7 of them.
class Edges {
 public:
  void keep(const JsonEvent& event) {
    Edge edge{*event.at, event.number, texts_[event.process], texts_[event.thread], texts_[event.name],
              {},        event.phase};
    for (std::size_t i = 0; i < std::size(kArguments); ++i) edge.arguments[i] = texts_[event.arguments[i]];
    edges_.push_back(edge);
  }

  template <class Take>
  void in_order(const Take& take) {
    std::sort(edges_.begin(), edges_.end(), is_before);
    JsonEvent event;
    event.arguments.resize(std::size(kArguments));
    for (const Edge& edge : edges_) {
      event.number = edge.number;
      event.phase = edge.phase;
      event.process = texts_.texts()[edge.process];
      event.thread = texts_.texts()[edge.thread];
      event.name = texts_.texts()[edge.name];
      event.at = edge.at;
      for (std::size_t i = 0; i < std::size(kArguments); ++i)
        event.arguments[i] = texts_.texts()[edge.arguments[i]];
      take(event);
    }
  }

 private:
  struct Edge {
    ClockReading at;
    std::size_t number;
    std::uint32_t process;  // this and the next two: indices into texts_
    std::uint32_t thread;
    std::uint32_t name;
    std::array<std::uint32_t, std::size(kArguments)> arguments;
    char phase;
  };

  // Orders by track and time. Ends come before begins of the same time.
  static bool is_before(const Edge& a, const Edge& b) {
    const auto track = [](const Edge& edge) { return std::tie(edge.process, edge.thread); };
    if (track(a) != track(b)) return track(a) < track(b);
    const double later = a.at.since(b.at).value();
    return std::make_tuple(later, a.phase == 'B', a.number) < std::make_tuple(0.0, b.phase == 'B', b.number);
  }

  std::vector<Edge> edges_;
  NameIndex texts_;
};

// Chrome requires begins and ends in the order of their times on each track. A file in another order is read
// again and sorted.
Trace read_unordered(const std::string& path, std::size_t backwards) {
  Import import(path);
  Edges edges;
  const auto read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    if (is_edge(event) && event.at)
      edges.keep(event);
    else
      import.take(event);
    return true;
  });
  edges.in_order([&](const JsonEvent& event) { import.take(event); });
  import.note(NoteKind::Corrected, backwards,
              "marks earlier than the one before on their track: sorted by their times");
  return std::move(import).finish(read);
}

Trace read(const std::string& path) {
  Import import(path);
  const auto read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    import.take(event);
    return true;
  });
  if (import.backwards() > 0) return read_unordered(path, import.backwards());
  return std::move(import).finish(read);
}

bool wrote(const JsonEvent& event) {
  return is_edge(event) && kind_of(event.name);
}

}  // namespace
}  // namespace megatron

extern const EventFormat kMegatronTrace = {"Megatron (forward and backward as B and E)", megatron::wrote,
                                           megatron::read};

}  // namespace spillway
