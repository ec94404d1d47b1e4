#include "report/step/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/step/activity.h"
#include "spec/json/dumped.h"

namespace spillway {
namespace {

using Row = std::vector<EventId>;  // events that do not overlap, by start

// One rank of one replica.
struct Track {
  std::uint32_t lane;
  RankId rank;
};

std::string json_string(const std::string& text) {
  return dumped(nlohmann::json(text));
}

// By region: the stage of the model that its first stage is, counting those of pipelined regions alone, input
// first; nothing for a transposed one.
std::vector<std::optional<std::uint32_t>> first_stages(const Outline& derived) {
  std::vector<std::uint32_t> sizes(derived.regions.size());
  for (const Stage& stage : derived.stages) {
    std::uint32_t& size = sizes[stage.region.index()];
    size = std::max(size, stage.index + 1);
  }
  std::vector<std::optional<std::uint32_t>> firsts(derived.regions.size());
  std::uint32_t next = 0;
  for (std::size_t region = 0; region < sizes.size(); ++region) {
    if (derived.placement[region].layout != Layout::Sharded) continue;
    firsts[region] = next;
    next += sizes[region];
  }
  return firsts;
}

std::string thread(Track track) {
  return fmt::format(R"("pid":{},"tid":{})", track.lane, track.rank.index());
}

class ChromeTrace {
 public:
  ChromeTrace(std::ostream& out, const ScheduleResult& schedule)
      : out_(out),
        derived_(*schedule.derived),
        timeline_(schedule.first.timeline),
        sampled_as_(schedule.first.sampled_as),
        first_stages_(first_stages(*schedule.derived)),
        schedule_name_(schedule.name) {}

  void write() {
    out_ << "[";
    for (std::uint32_t lane = 0; lane < timeline_.start.lanes(); ++lane) {
      write_name("process_name", {lane, RankId(0)}, fmt::format("{}, replica {}", schedule_name_, lane));
      for (std::uint32_t rank = 0; rank < derived_.order.rank_count(); ++rank)
        write_track({lane, RankId(rank)});
    }
    out_ << "\n]\n";
  }

 private:
  void write_track(Track track) {
    write_name("thread_name", track, fmt::format("rank {}", track.rank.index()));
    std::vector<EventId> beside;
    for (EventId id : derived_.order.nodes(track.rank)) {
      if (start(id, track) == end(id, track)) continue;
      if (occupies_rank(derived_, derived_.order.event(id)))
        write_complete(id, track);
      else
        beside.push_back(id);
    }
    const std::vector<Row> rows = rows_of(std::move(beside), track);
    for (std::size_t row = 0; row < rows.size(); ++row) write_row(rows[row], row, track);
  }

  // What runs beside the computing may overlap itself too: each event takes the first row that is free at its
  // start.
  std::vector<Row> rows_of(std::vector<EventId> events, Track track) const {
    std::stable_sort(events.begin(), events.end(),
                     [&](EventId a, EventId b) { return start(a, track) < start(b, track); });
    std::vector<Row> rows;
    for (EventId id : events) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const Row& r) { return end(r.back(), track) <= start(id, track); });
      if (row == rows.end()) row = rows.insert(row, Row());
      row->push_back(id);
    }
    return rows;
  }

  // Viewers take one id for one row and name the row after its first event: one as long as the step, around
  // the others.
  void write_row(const Row& row, std::size_t number, Track track) {
    const std::string place = fmt::format(R"("cat":"network",{},"id":"{}.{}.{}")", thread(track), track.lane,
                                          track.rank.index(), number);
    const std::string title = fmt::format(R"("rank {} network")", track.rank.index());
    write_edge("b", title, place, 0);
    for (EventId id : row) {
      write_edge("b", event_text(id), place, start(id, track), arguments(id, track));
      write_edge("e", event_text(id), place, end(id, track));
    }
    write_edge("e", title, place, timeline_.makespan().value() * 1e6);
  }

  void write_complete(EventId id, Track track) {
    write_line(fmt::format(R"({{"ph":"X","name":{},"cat":"{}",{},"ts":{},"dur":{}{}}})", event_text(id),
                           activity(id), thread(track), start(id, track), end(id, track) - start(id, track),
                           arguments(id, track)));
  }

  void write_edge(std::string_view phase, const std::string& name, const std::string& place, double at,
                  const std::string& arguments = {}) {
    write_line(fmt::format(R"({{"ph":"{}","name":{},{},"ts":{}{}}})", phase, name, place, at, arguments));
  }

  void write_name(std::string_view what, Track track, const std::string& text) {
    write_line(fmt::format(R"({{"ph":"M","name":"{}",{},"args":{{"name":{}}}}})", what, thread(track),
                           json_string(text)));
  }

  void write_line(const std::string& json) {
    out_ << separator_ << json;
    separator_ = ",\n";
  }

  std::string event_text(EventId id) const {
    return json_string(event_name(derived_.order.event(id), derived_));
  }
  std::string_view activity(EventId id) const {
    return to_string(activity_of(derived_, derived_.order.event(id)));
  }

  std::string arguments(EventId id, Track track) const {
    const Event& event = derived_.order.event(id);
    if (event.kind == EventKind::DpReduce) return {};
    std::string numbers = numbered("", event.microbatch, track);
    numbers += staged("stage", event.stage);
    if (event.kind == EventKind::ForwardBackward)
      numbers += ',' + numbered("backward_", event.peer_microbatch, track) +
                 staged("backward_stage", event.peer_stage);
    if (event.kind == EventKind::Collective)
      numbers +=
          staged("to_stage", event.peer_stage) + fmt::format(R"(,"to_rank":{})", event.peer_rank.index());
    return fmt::format(R"(,"args":{{{}}})", numbers);
  }

  // The microbatch's position and, where that is another, its number as sampled.
  std::string numbered(std::string_view prefix, MicrobatchId position, Track track) const {
    std::string text = fmt::format(R"("{}microbatch":{})", prefix, position.index() + 1);
    if (!sampled_as_.empty())
      text +=
          fmt::format(R"(,"{}sampled_as":{})", prefix, sampled_as_[track.lane][position.index()].index() + 1);
    return text;
  }

  // Empty for a stage of a transposed region.
  std::string staged(std::string_view key, StageId id) const {
    const Stage& stage = derived_.stage(id);
    const auto first = first_stages_[stage.region.index()];
    return first ? fmt::format(R"(,"{}":{})", key, *first + stage.index) : std::string();
  }

  double start(EventId id, Track track) const { return timeline_.start.at(id, track.lane).value() * 1e6; }
  double end(EventId id, Track track) const { return timeline_.end.at(id, track.lane).value() * 1e6; }

  std::ostream& out_;
  const Derived& derived_;
  const Timeline& timeline_;
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
