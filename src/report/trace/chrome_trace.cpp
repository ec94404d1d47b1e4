#include "report/trace/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "derive/derive.h"
#include "json/dumped.h"
#include "memory/peak_memory.h"
#include "report/order/pipelined_stages.h"
#include "report/step/activity.h"
#include "timing/timeline.h"

namespace spillway {
namespace {

// A value that holds until the time of the next one. Times ascend, and neighbouring values differ.
struct CounterLevel {
  Seconds since;
  double value;
};
using Counter = std::vector<CounterLevel>;

struct Step {
  Seconds at;
  double by;
};

// Changes at the same time make one level.
void add_level(Counter& counter, CounterLevel level) {
  if (!counter.empty() && counter.back().since == level.since) counter.pop_back();
  if (counter.empty() || counter.back().value != level.value) counter.push_back(level);
}

Counter sum_of(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  Counter counter{{Seconds(), 0}};
  double value = 0;
  for (const Step& step : steps) add_level(counter, {step.at, value += step.by});
  return counter;
}

struct Span {
  Seconds start, end;
};

Counter open_at_once(const std::vector<Span>& spans) {
  std::vector<Step> steps;
  for (const Span& span : spans) {
    steps.push_back({span.start, 1});
    steps.push_back({span.end, -1});
  }
  return sum_of(std::move(steps));
}

// Counts the microbatches whose first pass on the rank has begun and whose last has not ended.
Counter microbatches_in_flight(const Derived& derived, const Timeline& timeline, std::uint32_t lane,
                               RankId rank) {
  std::map<MicrobatchId, Span> spans;
  const auto widen = [&](MicrobatchId microbatch, Span by) {
    Span& span = spans.try_emplace(microbatch, by).first->second;
    span = {std::min(span.start, by.start), std::max(span.end, by.end)};
  };
  for (const EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const Span span{timeline.start.at(id, lane), timeline.end.at(id, lane)};
    widen(event.microbatch, span);
    if (event.kind == EventKind::ForwardBackward) widen(event.peer_microbatch, span);
  }
  std::vector<Span> all;
  for (const auto& [microbatch, span] : spans) all.push_back(span);
  return open_at_once(all);
}

// Counts the transfers that the rank sends and the reductions that it takes part in.
Counter links_in_use(const Derived& derived, const Timeline& timeline, std::uint32_t lane, RankId rank) {
  std::vector<Span> spans;
  for (const EventId id : derived.order.nodes(rank))
    if (derived.order.event(id).communicates())
      spans.push_back({timeline.start.at(id, lane), timeline.end.at(id, lane)});
  return open_at_once(spans);
}

// Returns the memory that the rank holds, in bytes.
Counter memory_held(const std::vector<MemoryLevel>& levels) {
  Counter counter;
  for (const MemoryLevel& level : levels) add_level(counter, {level.since, level.total.value()});
  return counter;
}

using Thread = std::vector<EventId>;  // events that do not overlap, sorted by start

// A rank of a replica, which is a process of the trace.
struct Track {
  std::uint32_t lane;
  RankId rank;
};

std::string json_string(const std::string& text) {
  return dumped(text);
}

class ChromeTrace {
 public:
  ChromeTrace(std::ostream& out, const ScheduleResult& schedule)
      : out_(out),
        derived_(*schedule.derived),
        order_(derived_.order),
        timeline_(schedule.first.timeline),
        memory_(schedule.first.memory),
        sampled_as_(schedule.first.sampled_as),
        first_stages_(first_stages(*schedule.derived)),
        schedule_name_(schedule.name) {}

  void write() {
    out_ << "[";
    for (std::uint32_t lane = 0; lane < lanes(); ++lane)
      for (std::uint32_t rank = 0; rank < order_.rank_count(); ++rank) write_rank({lane, RankId(rank)});
    out_ << "\n]\n";
  }

 private:
  std::uint32_t lanes() const { return timeline_.start.lanes(); }

  // Numbers start at 1, because Perfetto takes process 0 and thread 0 for the idle one.
  std::uint32_t process(Track track) const {
    return track.lane * order_.rank_count() + track.rank.index() + 1;
  }

  void write_rank(Track track) {
    const std::string name =
        fmt::format("{}, replica {}, rank {}", schedule_name_, track.lane, track.rank.index());
    write_metadata("process_name", track, 1, fmt::format(R"("name":{})", json_string(name)));
    write_metadata("process_sort_index", track, 1, fmt::format(R"("sort_index":{})", process(track)));
    const std::vector<Thread> threads = threads_of(track);
    for (std::size_t thread = 0; thread < threads.size(); ++thread)
      write_thread(threads[thread], thread + 1, track);
    write_counters(track);
  }

  // The first thread has the rank's computing. Communication may overlap, so each such event takes the first
  // other thread that is free at its start.
  std::vector<Thread> threads_of(Track track) const {
    std::vector<Thread> threads(1);
    for (const EventId id : events_of(track)) {
      auto thread = threads.begin();
      if (!order_.event(id).computes())
        thread = std::find_if(threads.begin() + 1, threads.end(), [&](const Thread& each) {
          return end(each.back(), track) <= start(id, track);
        });
      if (thread == threads.end()) thread = threads.insert(thread, Thread());
      thread->push_back(id);
    }
    return threads;
  }

  Thread events_of(Track track) const {
    Thread events;
    for (const EventId id : order_.nodes(track.rank))
      if (takes_time(id, track)) events.push_back(id);
    std::stable_sort(events.begin(), events.end(),
                     [&](EventId a, EventId b) { return start(a, track) < start(b, track); });
    return events;
  }

  void write_thread(const Thread& thread, std::size_t number, Track track) {
    const std::string name = number == 1   ? "compute"
                             : number == 2 ? "link"
                                           : fmt::format("link, {} at once", number - 1);
    write_metadata("thread_name", track, number, fmt::format(R"("name":"{}")", name));
    for (const EventId id : thread) {
      write_line(fmt::format(R"({{"ph":"X","name":{},"cat":"{}",{},"ts":{},"dur":{},"args":{{{}}}}})",
                             event_text(id), activity(id), place(track, number), start(id, track),
                             end(id, track) - start(id, track), arguments(id, track)));
      write_arrows(id, number, track);
    }
  }

  // Returns the pass that made the transfer's data, the transfer, and the pass that needs the data, as far as
  // they take time.
  std::vector<EventId> arrow_of(EventId transfer, Track track) const {
    const Event& event = order_.event(transfer);
    if (!event.transfers()) return {};
    std::vector<EventId> points;
    if (const auto made = pass_among(order_.predecessors(transfer), event.stage, event.microbatch, track))
      points.push_back(*made);
    if (takes_time(transfer, track)) points.push_back(transfer);
    if (const auto needed =
            pass_among(order_.successors(transfer), event.peer_stage, event.microbatch, track))
      points.push_back(*needed);
    return points;
  }

  std::optional<EventId> pass_among(std::span<const std::uint32_t> neighbours, StageId stage,
                                    MicrobatchId microbatch, Track track) const {
    for (const std::uint32_t each : neighbours) {
      const Event& event = order_.event(EventId(each));
      const bool is_it = (event.stage == stage && event.microbatch == microbatch) ||
                         (event.kind == EventKind::ForwardBackward && event.peer_stage == stage &&
                          event.peer_microbatch == microbatch);
      if (event.computes() && is_it && takes_time(EventId(each), track)) return EventId(each);
    }
    return std::nullopt;
  }

  // Writes the points of arrows at this event: of its own arrow if it is a transfer, else of those to and
  // from it.
  void write_arrows(EventId id, std::size_t number, Track track) {
    write_arrow(id, id, number, track);
    if (!order_.event(id).computes()) return;
    for (const std::uint32_t each : order_.predecessors(id)) write_arrow(EventId(each), id, number, track);
    for (const std::uint32_t each : order_.successors(id)) write_arrow(EventId(each), id, number, track);
  }

  void write_arrow(EventId transfer, EventId at, std::size_t number, Track track) {
    const std::vector<EventId> points = arrow_of(transfer, track);
    if (points.size() < 2 || std::find(points.begin(), points.end(), at) == points.end()) return;
    write_flow(at == points.front() ? 's' : at == points.back() ? 'f' : 't', transfer, at, number, track);
  }

  // The point belongs to the slice of `at`, because it has the slice's start time.
  void write_flow(char phase, EventId transfer, EventId at, std::size_t number, Track track) {
    write_line(fmt::format(R"({{"ph":"{}","name":"transfer","cat":"transfer","id":{},{},"ts":{}{}}})", phase,
                           std::uint64_t{transfer.index()} * lanes() + track.lane + 1, place(track, number),
                           start(at, track), phase == 's' ? "" : R"(,"bp":"e")"));
  }

  void write_counters(Track track) {
    write_counter("microbatches in flight", "microbatches",
                  microbatches_in_flight(derived_, timeline_, track.lane, track.rank), track);
    write_counter("links in use", "transfers", links_in_use(derived_, timeline_, track.lane, track.rank),
                  track);
    if (track.lane == 0 && !memory_.empty())
      write_counter("memory", "bytes", memory_held(memory_[track.rank.index()]), track);
  }

  // Writes only the last of several levels whose times are equal in microseconds.
  void write_counter(std::string_view name, std::string_view unit, const Counter& counter, Track track) {
    for (auto level = counter.begin(); level != counter.end(); ++level) {
      const auto next = level + 1;
      if (next != counter.end() && microseconds(next->since) == microseconds(level->since)) continue;
      write_line(fmt::format(R"({{"ph":"C","name":"{}",{},"ts":{},"args":{{"{}":{}}}}})", name,
                             place(track, 1), microseconds(level->since), unit, level->value));
    }
  }

  void write_metadata(std::string_view what, Track track, std::size_t thread, const std::string& argument) {
    write_line(
        fmt::format(R"({{"ph":"M","name":"{}",{},"args":{{{}}}}})", what, place(track, thread), argument));
  }

  std::string place(Track track, std::size_t thread) const {
    return fmt::format(R"("pid":{},"tid":{})", process(track), thread);
  }

  void write_line(const std::string& json) {
    out_ << separator_ << json;
    separator_ = ",\n";
  }

  std::string event_text(EventId id) const { return json_string(event_name(order_.event(id), derived_)); }
  std::string_view activity(EventId id) const { return to_string(activity_of(derived_, order_.event(id))); }

  std::string arguments(EventId id, Track track) const {
    const Event& event = order_.event(id);
    std::string numbers = fmt::format(R"("replica":{},"rank":{})", track.lane, track.rank.index());
    if (event.in_group()) return numbers;
    numbers += ',' + numbered("", event.microbatch, track) + staged("stage", event.stage);
    if (event.kind == EventKind::ForwardBackward)
      numbers += ',' + numbered("backward_", event.peer_microbatch, track) +
                 staged("backward_stage", event.peer_stage);
    if (event.kind == EventKind::Collective)
      numbers +=
          staged("to_stage", event.peer_stage) + fmt::format(R"(,"to_rank":{})", event.peer_rank.index());
    return numbers;
  }

  // Returns the microbatch's position and, if microbatches were reordered, its number as sampled.
  std::string numbered(std::string_view prefix, MicrobatchId position, Track track) const {
    std::string text = fmt::format(R"("{}microbatch":{})", prefix, position.index() + 1);
    if (!sampled_as_.empty())
      text +=
          fmt::format(R"(,"{}sampled_as":{})", prefix, sampled_as_[track.lane][position.index()].index() + 1);
    return text;
  }

  // Returns the stage's number, or nothing for a stage of a transposed region.
  std::string staged(std::string_view key, StageId id) const {
    const Stage& stage = derived_.stage(id);
    const auto first = first_stages_[stage.region.index()];
    return first ? fmt::format(R"(,"{}":{})", key, *first + stage.index) : std::string();
  }

  static double microseconds(Seconds time) { return time.value() * 1e6; }
  double start(EventId id, Track track) const { return microseconds(timeline_.start.at(id, track.lane)); }
  double end(EventId id, Track track) const { return microseconds(timeline_.end.at(id, track.lane)); }
  bool takes_time(EventId id, Track track) const { return start(id, track) < end(id, track); }

  std::ostream& out_;
  const Derived& derived_;
  const Order& order_;
  const Timeline& timeline_;
  const std::vector<std::vector<MemoryLevel>>& memory_;
  const std::vector<Permutation>& sampled_as_;
  std::vector<std::optional<std::uint32_t>> first_stages_;
  std::string schedule_name_;
  const char* separator_ = "\n";
};

}  // namespace

void write_chrome_trace(std::ostream& out, const ScheduleResult& schedule) {
  ChromeTrace(out, schedule).write();
}

}  // namespace spillway
