#include "report/run/drawn_timeline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "report/page/column.h"
#include "report/step/activity.h"
#include "report/step/bubble_causes.h"
#include "timing/idle_before.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;
using Column = std::vector<std::uint32_t>;

constexpr std::uint32_t kLane = 0;  // the shown replica
constexpr std::uint32_t kNowhere = 0xffffffffU;

class TimelineColumns {
 public:
  TimelineColumns(const ScheduleResult& schedule, const PageScale& scale)
      : derived_(*schedule.derived),
        timeline_(schedule.first.timeline),
        makespan_(timeline_.makespan()),
        scale_(scale) {
    for (RankId rank : scale.ranks) rows_.push_back(row_of(rank));
    waits_.assign(derived_.order.event_count(), 0);
    for (RankId rank : scale.ranks)
      for (const IdleBefore& idle : idle_before(derived_, timeline_, rank, ReplicaId(kLane)))
        waits_[idle.event.index()] = number_of(idle.cause);
    critical_.assign(derived_.order.event_count(), 0);
    for (const CriticalEvent& on : schedule.first.critical_path)
      critical_[on.event.index()] = on.lane == kLane ? 1 : 2;
  }

  std::size_t events() const {
    std::size_t all = 0;
    for (const auto& row : rows_) all += row.size();
    return all;
  }

  Json whole() const {
    const Column places = places_of_events();
    const auto of_each = [&](auto value_of) {
      Column values;
      for (const auto& row : rows_)
        for (EventId id : row) values.push_back(value_of(id));
      return column(values);
    };
    const auto of_event = [&](auto value_of) {
      return of_each(
          [&](EventId id) { return static_cast<std::uint32_t>(value_of(derived_.order.event(id))); });
    };
    return {{"first", firsts()},
            {"start", of_each([&](EventId id) { return scale_.ticks(start(id)); })},
            {"end", of_each([&](EventId id) { return scale_.ticks(end(id)); })},
            {"activity", of_event([&](const Event& e) { return activity_of(derived_, e); })},
            {"stage", of_event([](const Event& e) { return e.stage.index(); })},
            {"microbatch", of_event([](const Event& e) { return e.microbatch.index() + 1; })},
            {"other_stage", of_event([](const Event& e) { return e.peer_stage.index(); })},
            {"other_microbatch", of_event([](const Event& e) { return e.peer_microbatch.index() + 1; })},
            {"other_rank", of_event([](const Event& e) { return e.peer_rank.index(); })},
            {"before", of_each([&](EventId id) { return before(id, places); })},
            {"wait", of_each([&](EventId id) { return waits_[id.index()]; })},
            {"critical", column(on_critical_path(places))}};
  }

  // Returns runs of slices that the same activity fills most. Computing takes precedence over communication.
  Json thinned(std::size_t slices) const {
    Column first{0}, starts, ends, activities;
    for (const auto& row : rows_) {
      const std::vector<std::optional<Activity>> filled = filling(row, slices);
      for (std::size_t slice = 0; slice < slices; ++slice) {
        if (!filled[slice]) continue;
        const bool goes_on = slice > 0 && filled[slice - 1] == filled[slice];
        if (!goes_on) {
          starts.push_back(edge(slice, slices));
          ends.push_back(0);
          activities.push_back(static_cast<std::uint32_t>(*filled[slice]));
        }
        ends.back() = edge(slice + 1, slices);
      }
      first.push_back(static_cast<std::uint32_t>(starts.size()));
    }
    return {{"thinned", {{"events", events()}, {"slices", slices}}},
            {"first", first},
            {"start", column(starts)},
            {"end", column(ends)},
            {"activity", column(activities)}};
  }

 private:
  static std::uint32_t number_of(Seconds BubbleCauses::*cause) {
    const auto found = std::ranges::find(kBubbleCauses, cause, &BubbleCause::time);
    return static_cast<std::uint32_t>(found - kBubbleCauses.begin()) + 1;
  }

  std::vector<EventId> row_of(RankId rank) const {
    std::vector<EventId> row;
    for (EventId id : derived_.order.nodes(rank))
      if (start(id) < end(id)) row.push_back(id);
    std::stable_sort(row.begin(), row.end(), [&](EventId a, EventId b) { return start(a) < start(b); });
    return row;
  }

  std::vector<std::size_t> firsts() const {
    std::vector<std::size_t> first{0};
    for (const auto& row : rows_) first.push_back(first.back() + row.size());
    return first;
  }

  // Returns the first place of each event. An event of several ranks has a place on each of them.
  Column places_of_events() const {
    Column places(derived_.order.event_count(), kNowhere);
    std::uint32_t next = 0;
    for (const auto& row : rows_)
      for (EventId id : row) {
        places[id.index()] = std::min(places[id.index()], next);
        ++next;
      }
    return places;
  }

  std::optional<EventId> last_before(EventId id) const {
    std::optional<EventId> last;
    for (const std::uint32_t predecessor : derived_.order.predecessors(id))
      if (const EventId each(predecessor); !last || end(*last) < end(each)) last = each;
    return last;
  }

  // An event of several ranks is marked on the first of them only.
  Column on_critical_path(const Column& places) const {
    Column on;
    for (const auto& row : rows_)
      for (EventId id : row) on.push_back(places[id.index()] == on.size() ? critical_[id.index()] : 0);
    return on;
  }

  // An event without duration is skipped: the event that it waited for itself counts instead.
  std::uint32_t before(EventId id, const Column& places) const {
    std::optional<EventId> last = last_before(id);
    while (last && start(*last) == end(*last)) last = last_before(*last);
    return last ? places[last->index()] + 1 : 0;
  }

  std::uint32_t edge(std::size_t slice, std::size_t slices) const {
    return scale_.ticks(makespan_ * (static_cast<double>(slice) / static_cast<double>(slices)));
  }

  std::vector<std::optional<Activity>> filling(const std::vector<EventId>& row, std::size_t slices) const {
    std::vector<std::array<double, kActivities>> shares(slices);
    const Seconds slice = makespan_ / static_cast<double>(slices);
    for (EventId id : row) {
      const double from = start(id) / slice, to = end(id) / slice;
      const auto activity = static_cast<std::size_t>(activity_of(derived_, derived_.order.event(id)));
      for (auto at = static_cast<std::size_t>(from); at < slices && static_cast<double>(at) < to; ++at) {
        const auto left = static_cast<double>(at);
        shares[at][activity] += std::min(to, left + 1) - std::max(from, left);
      }
    }
    std::vector<std::optional<Activity>> filled;
    for (const auto& share : shares) filled.push_back(most_of(share));
    return filled;
  }

  static std::optional<Activity> most_of(const std::array<double, kActivities>& share) {
    const auto network = share.begin() + static_cast<std::ptrdiff_t>(Activity::Transfer);
    auto most = std::max_element(share.begin(), network);
    if (*most == 0) most = std::max_element(network, share.end());
    if (*most == 0) return std::nullopt;
    return static_cast<Activity>(most - share.begin());
  }

  Seconds start(EventId id) const { return timeline_.start.at(id, kLane); }
  Seconds end(EventId id) const { return timeline_.end.at(id, kLane); }

  const Derived& derived_;
  const Timeline& timeline_;
  Seconds makespan_;  // cached, because makespan() visits all events
  const PageScale& scale_;
  std::vector<std::vector<EventId>> rows_;  // events by shown rank
  Column waits_;                            // by event, as in timeline_columns
  Column critical_;                         // 0, 1 or 2 by event, as in timeline_columns
};

// Returns the region of each stage and the stage's place in it. The place is null in a transposed region.
Json stages_json(const Derived& derived) {
  Json names = Json::array();
  for (const Stage& stage : derived.stages) {
    const bool sharded = derived.placement[stage.region.index()].layout == Layout::Sharded;
    names.push_back(
        {derived.regions[stage.region.index()].name, sharded ? Json(stage.index) : Json(nullptr)});
  }
  return names;
}

Json sampled_json(const ScheduleResult& schedule) {
  if (schedule.first.sampled_as.empty()) return nullptr;
  Json numbers = Json::array();
  for (MicrobatchId microbatch : schedule.first.sampled_as.front()) numbers.push_back(microbatch.index() + 1);
  return numbers;
}

}  // namespace

nlohmann::ordered_json timeline_columns(const ScheduleResult& schedule, const PageScale& scale,
                                        std::size_t most) {
  const TimelineColumns columns(schedule, scale);
  if (columns.events() <= most) return columns.whole();
  return columns.thinned(std::max(kPageSlices, most / scale.ranks.size()));
}

nlohmann::ordered_json activities_json() {
  Json names = Json::array();
  for (std::size_t activity = 0; activity < kActivities; ++activity)
    names.push_back(to_string(static_cast<Activity>(activity)));
  return names;
}

nlohmann::ordered_json causes_json() {
  Json names = Json::array();
  for (const BubbleCause& cause : kBubbleCauses) names.push_back(cause.name);
  return names;
}

nlohmann::ordered_json ranks_json(const PageScale& scale) {
  Json numbers = Json::array();
  for (RankId rank : scale.ranks) numbers.push_back(rank.index());
  return numbers;
}

nlohmann::ordered_json drawn_timeline(const ScheduleResult& schedule, const PageScale& scale,
                                      std::size_t most) {
  return {{"end_s", schedule.first.timeline.makespan().value()},
          {"blocking", schedule.derived->point_to_point == PointToPoint::Blocking},
          {"stages", stages_json(*schedule.derived)},
          {"sampled_as", sampled_json(schedule)},
          {"timeline", timeline_columns(schedule, scale, most)}};
}

}  // namespace spillway
