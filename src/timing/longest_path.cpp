#include "timing/longest_path.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "timing/essential_edges.h"
#include "timing/lane_block.h"

namespace spillway {
namespace {

static_assert(sizeof(Seconds) == sizeof(double), "lanes of Seconds are read as lanes of double");

}  // namespace

LongestPath::LongestPath(const Order& order, std::uint32_t replicas) {
  EssentialEdges edges = essential_edges(order);
  first_ = std::move(edges.first);
  predecessors_ = std::move(edges.predecessors);
  before_.reserve(order.event_count());
  for (std::uint32_t event = 0; event < order.event_count(); ++event) {
    const std::uint32_t joined = std::min(order.event(EventId(event)).joined_replicas, replicas);
    const std::uint32_t first = first_[event], count = first_[event + 1] - first;
    lane_multiple_ = std::lcm(lane_multiple_, joined);
    if (count == 0 || count > 2 || joined > 1) special_.push_back({event, joined});
    before_.push_back(count == 0 ? TwoEvents{}
                                 : TwoEvents{predecessors_[first], predecessors_[first + (count > 1)]});
  }
}

// One event on all of `lanes` lanes; `end` holds `lanes` values for each event. Joined replicas start
// together, so with equal durations they end together; a lane by itself stands for all of them.
void LongestPath::run_event(std::uint32_t event, std::uint32_t joined, const double* duration,
                            std::uint32_t lanes, double* end) const {
  double* const own = end + std::size_t{event} * lanes;
  std::fill_n(own, lanes, 0.0);
  for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
    const double* const before = end + std::size_t{predecessors_[i]} * lanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] = std::max(own[lane], before[lane]);
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] += duration[lane];
  if (joined == 1 || lanes == 1) return;
  for (std::uint32_t first = 0; first < lanes; first += joined)
    std::fill_n(own + first, joined, *std::max_element(own + first, own + first + joined));
}

// The first `lanes` of `stride` lanes.
void LongestPath::run_lanes(const double* duration, std::uint32_t stride, std::uint32_t lanes, double* end,
                            double* last) const {
  auto special = special_.begin();
  for (std::uint32_t event = 0; event < event_count(); ++event, duration += stride) {
    const bool is_special = special != special_.end() && special->event == event;
    run_event(event, is_special ? (special++)->joined : 1, duration, lanes, end);
    const double* const own = end + std::size_t{event} * lanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) last[lane] = std::max(last[lane], own[lane]);
  }
}

// Every event, on lanes that fill `Count` vectors, kept in registers. Nearly every event has one or two
// predecessors: between the special ones nothing branches.
template <class Vector, std::uint32_t Count>
void LongestPath::run_vectors(const double* duration, std::uint32_t stride, double* end, double* last) const {
  constexpr std::uint32_t lanes = Count * (sizeof(Vector) / sizeof(double));
  const auto row = [end](std::uint32_t event) {
    return reinterpret_cast<Vector*>(end + std::size_t{event} * lanes);
  };
  Vector latest[Count] = {};  // its own array, so that no store to `end` can touch it
  std::uint32_t event = 0;
  const auto run_up_to = [&](std::uint32_t stop) {
    for (; event < stop; ++event, duration += stride) {
      const Vector* const first = row(before_[event].first);
      const Vector* const second = row(before_[event].second);
      const Vector* const takes = reinterpret_cast<const Vector*>(duration);
      for (std::uint32_t i = 0; i < Count; ++i) {
        const Vector own = later(first[i], second[i]) + takes[i];
        row(event)[i] = own;
        latest[i] = later(latest[i], own);
      }
    }
  };
  for (const Special& special : special_) {
    run_up_to(special.event);
    run_event(event, special.joined, duration, lanes, end);
    for (std::uint32_t i = 0; i < Count; ++i) latest[i] = later(latest[i], row(event)[i]);
    ++event, duration += stride;
  }
  run_up_to(event_count());
  for (std::uint32_t i = 0; i < Count; ++i) reinterpret_cast<Vector*>(last)[i] = latest[i];
}

// `count` lanes from `first` on; what `last` holds of each must be zero.
void LongestPath::run(const Durations& durations, std::uint32_t first, std::uint32_t count,
                      PerEvent<Seconds>& ends, Seconds* last) const {
  if (ends.events() != durations.events() || ends.lanes() != count)
    ends = PerEvent<Seconds>(durations.events(), count);
  const double* const duration = reinterpret_cast<const double*>(durations.flat().data()) + first;
  double* const end = reinterpret_cast<double*>(ends.flat().data());
  double* const latest = reinterpret_cast<double*>(last);
  switch (count) {
    case 1:
      return run_vectors<double, 1>(duration, durations.lanes(), end, latest);
    case kBlockLanes:
      return run_vectors<TwoLanes, kBlockVectors>(duration, durations.lanes(), end, latest);
    default:
      return run_lanes(duration, durations.lanes(), count, end, latest);
  }
}

void LongestPath::check(const Durations& durations) const {
  ensure(durations.events() == event_count(), "durations cover the order");
  ensure(durations.lanes() % lane_multiple_ == 0, "joined replicas divide the lanes");
}

Seconds LongestPath::makespan(const Durations& durations, PerEvent<Seconds>& ends) const {
  check(durations);
  std::vector<Seconds> last(durations.lanes());
  run(durations, 0, durations.lanes(), ends, last.data());
  return *std::max_element(last.begin(), last.end());
}

std::vector<Seconds> LongestPath::makespans(const Durations& durations, std::uint32_t group,
                                            PerEvent<Seconds>& ends) const {
  check(durations);
  const std::uint32_t lanes = durations.lanes();
  ensure(group > 0 && lanes % group == 0 && group % lane_multiple_ == 0, "groups of lanes stand alone");
  std::vector<Seconds> last(lanes);
  const std::uint32_t width = std::lcm(kBlockLanes, lane_multiple_);
  for (std::uint32_t first = 0; first < lanes; first += width)
    run(durations, first, std::min(width, lanes - first), ends, last.data() + first);
  std::vector<Seconds> makespans;
  for (auto first = last.begin(); first != last.end(); first += group)
    makespans.push_back(*std::max_element(first, first + group));
  return makespans;
}

std::vector<Seconds> LongestPath::ends(const Durations& durations, std::uint32_t first, std::uint32_t count,
                                       PerEvent<Seconds>& ends) const {
  ensure(durations.events() == event_count(), "durations cover the order");
  ensure(count == 1 || (count % lane_multiple_ == 0 && first % lane_multiple_ == 0),
         "joined replicas divide the lanes");
  std::vector<Seconds> last(count);
  run(durations, first, count, ends, last.data());
  return last;
}

Timeline LongestPath::timeline(const Durations& durations) const {
  check(durations);
  const std::uint32_t lanes = durations.lanes();
  Timeline timeline{PerEvent<Seconds>(event_count(), lanes), PerEvent<Seconds>(event_count(), lanes)};
  auto next = special_.begin();
  for (std::uint32_t index = 0; index < event_count(); ++index) {
    const EventId id(index);
    const std::uint32_t joined = next != special_.end() && next->event == index ? (next++)->joined : 1;
    for (std::uint32_t first = 0; first < lanes; first += joined) {
      const Seconds start = ready_at(id, first, joined, timeline.end);
      for (std::uint32_t lane = first; lane < first + joined; ++lane) {
        timeline.start.at(id, lane) = start;
        timeline.end.at(id, lane) = start + durations.at(id, lane);
      }
    }
  }
  return timeline;
}

Seconds LongestPath::ready_at(EventId event, std::uint32_t first_lane, std::uint32_t joined,
                              const PerEvent<Seconds>& ends) const {
  Seconds ready;
  for (std::uint32_t i = first_[event.index()]; i < first_[event.index() + 1]; ++i) {
    for (std::uint32_t lane = first_lane; lane < first_lane + joined; ++lane) {
      ready = std::max(ready, ends.at(EventId(predecessors_[i]), lane));
    }
  }
  return ready;
}

}  // namespace spillway
