#include "timing/longest_path.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "timing/essential_edges.h"
#include "timing/live_ends.h"

namespace spillway {
namespace {

// As many lanes as fill the widest vectors twice; so many ends of a usual pipeline stay in the nearest cache.
constexpr std::uint32_t kLanesAtOnce = 2 * kLineLanes;

}  // namespace

LongestPath::Shape::Shape(const Order& order) {
  EssentialEdges edges = essential_edges(order);
  LiveRows live = live_rows(edges);
  first = std::move(edges.first);
  predecessors = std::move(edges.predecessors);
  row = std::move(live.of);
  rows = live.count;
  steps.reserve(row.size());
  for (std::uint32_t event = 0; event < row.size(); ++event) {
    const auto waits = before(event);
    steps.push_back({row[event], waits.empty() ? kZeroRow : row[waits.front()],
                     waits.empty() ? kZeroRow : row[waits.back()]});
  }
}

LongestPath::LongestPath(const Order& order, std::uint32_t replicas, std::span<const EventId> watched)
    : shape_(std::make_shared<const Shape>(order)) {
  find_special(order, replicas, watched);
}

LongestPath::LongestPath(const LongestPath& same, const Order& order, std::uint32_t replicas,
                         std::span<const EventId> watched)
    : shape_(same.shape_) {
  ensure(order.event_count() == event_count(), "a shape is of its order");
  find_special(order, replicas, watched);
}

void LongestPath::find_special(const Order& order, std::uint32_t replicas, std::span<const EventId> watched) {
  watched_ = static_cast<std::uint32_t>(watched.size());
  auto next = watched.begin();
  for (std::uint32_t event = 0; event < order.event_count(); ++event) {
    const std::uint32_t joined = std::min(order.event(EventId(event)).joined_replicas, replicas);
    if (joined > 1) lane_multiple_ = std::lcm(lane_multiple_, joined);
    const bool is_watched = next != watched.end() && next->index() == event;
    if (is_watched) ++next;
    if (shape_->before(event).size() > 2 || joined > 1 || is_watched) add_special(event, joined, is_watched);
  }
  ensure(next == watched.end(), "watched events ascend");
}

void LongestPath::add_special(std::uint32_t event, std::uint32_t joined, bool watched) {
  const auto waits = shape_->before(event);
  special_.push_back({event, joined, static_cast<std::uint32_t>(special_before_.size()),
                      static_cast<std::uint32_t>(waits.size()), watched});
  for (const std::uint32_t predecessor : waits) special_before_.push_back(shape_->row[predecessor]);
}

// One block of lanes on its way through the order.
class LongestPath::Pass {
 public:
  Pass(const LongestPath& path, DurationRows& rows, LiveEnds& ends, const LaneLoops& loops)
      : path_(path),
        rows_(rows),
        loops_(loops),
        lanes_(rows.lanes()),
        width_(row_width(lanes_)),
        latest_(width_),
        ready_(width_),
        ending_{std::vector<Seconds>(lanes_), PerEvent<Seconds>(path.watched_, lanes_),
                PerEvent<Seconds>(path.watched_, lanes_)} {
    if (ends.lanes() != width_ || ends.events() < path.shape_->rows)
      ends = LiveEnds(path.shape_->rows, width_);
    ends_ = reinterpret_cast<double*>(ends.flat().data());
    std::fill_n(ends_ + kZeroRow * width_, width_, 0.0);
  }

  PathEnding run() && {
    std::uint32_t watched = 0;
    auto special = path_.special_.begin();
    for (std::uint32_t event = 0; event < path_.event_count();) {
      const RowStretch stretch = rows_.from(event);
      const std::uint32_t end = event + stretch.count;
      for (std::uint32_t at = event; at < end;) {
        const bool stops = special != path_.special_.end() && special->event < end;
        const std::uint32_t stop = stops ? special->event : end;
        run_steps(at, stop, event, stretch);
        if (stops) run_special(*special++, stretch.rows + stretch.row(stop - event) * width_, watched);
        at = stop + stops;
      }
      event = end;
    }
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) ending_.last[lane] = Seconds(latest_[lane]);
    return std::move(ending_);
  }

 private:
  void run_steps(std::uint32_t from, std::uint32_t to, std::uint32_t first, const RowStretch& stretch) {
    const std::uint32_t skipped = from - first;
    const RowStretch rest{to - from,
                          stretch.takes ? stretch.rows : stretch.rows + std::size_t{skipped} * width_,
                          stretch.takes ? stretch.takes + skipped : nullptr};
    loops_.run(std::span(path_.shape_->steps).subspan(from, to - from), rest, width_, ends_, latest_.data());
  }

  // Joined replicas start together; a lane by itself stands for all of them.
  void run_special(const Special& special, const double* takes, std::uint32_t& watched) {
    std::fill(ready_.begin(), ready_.end(), 0.0);
    for (std::uint32_t i = 0; i < special.count; ++i) {
      const double* const before = row(path_.special_before_[special.first + i]);
      for (std::uint32_t lane = 0; lane < width_; ++lane) ready_[lane] = std::max(ready_[lane], before[lane]);
    }
    if (special.joined > 1 && lanes_ > 1) join(special.joined);
    double* const own = row(path_.shape_->steps[special.event].own);
    for (std::uint32_t lane = 0; lane < width_; ++lane) {
      own[lane] = ready_[lane] + takes[lane];
      latest_[lane] = std::max(latest_[lane], own[lane]);
    }
    if (special.watched) note(EventId(watched++), own);
  }

  void join(std::uint32_t joined) {
    for (std::uint32_t first = 0; first < lanes_; first += joined) {
      const auto at = ready_.begin() + first;
      std::fill_n(at, joined, *std::max_element(at, at + joined));
    }
  }

  void note(EventId watched, const double* own) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      ending_.start.at(watched, lane) = Seconds(ready_[lane]);
      ending_.end.at(watched, lane) = Seconds(own[lane]);
    }
  }

  double* row(std::uint32_t index) const { return ends_ + std::size_t{index} * width_; }

  const LongestPath& path_;
  DurationRows& rows_;
  const LaneLoops& loops_;
  std::uint32_t lanes_;
  std::uint32_t width_;
  double* ends_;
  AlignedVector<double> latest_, ready_;
  PathEnding ending_;
};

PathEnding LongestPath::run(DurationRows& rows, LiveEnds& ends, const LaneLoops& loops) const {
  ensure(rows.events() == event_count(), "durations cover the order");
  ensure(rows.lanes() == 1 || rows.lanes() % lane_multiple_ == 0, "joined replicas divide the lanes");
  return Pass(*this, rows, ends, loops).run();
}

void LongestPath::check(const Durations& durations) const {
  ensure(durations.events() == event_count(), "durations cover the order");
  ensure(durations.lanes() % lane_multiple_ == 0, "joined replicas divide the lanes");
}

Seconds LongestPath::makespan(const Durations& durations, LiveEnds& ends) const {
  return makespans(durations, durations.lanes(), ends).front();
}

std::vector<Seconds> LongestPath::makespans(const Durations& durations, std::uint32_t group,
                                            LiveEnds& ends) const {
  check(durations);
  const std::uint32_t lanes = durations.lanes(), width = std::lcm(kLanesAtOnce, lane_multiple_);
  ensure(group > 0 && lanes % group == 0 && group % lane_multiple_ == 0, "groups of lanes stand alone");
  std::vector<Seconds> makespans(lanes / group);
  for (std::uint32_t first = 0; first < lanes; first += width) {
    HeldRows rows(durations, first, std::min(width, lanes - first));
    const std::vector<Seconds> last = run(rows, ends).last;
    for (std::uint32_t lane = 0; lane < last.size(); ++lane) {
      Seconds& makespan = makespans[(first + lane) / group];
      makespan = std::max(makespan, last[lane]);
    }
  }
  return makespans;
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
  for (const std::uint32_t predecessor : shape_->before(event.index())) {
    for (std::uint32_t lane = first_lane; lane < first_lane + joined; ++lane)
      ready = std::max(ready, ends.at(EventId(predecessor), lane));
  }
  return ready;
}

}  // namespace spillway
