#include "timing/longest_path.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "timing/essential_edges.h"
#include "timing/path_steps.h"

namespace spillway {
namespace {

// Enough lanes to fill the widest vectors twice; their ends in a usual pipeline stay in the nearest cache.
constexpr std::uint32_t kLanesAtOnce = 2 * kLineLanes;

}  // namespace

// The data that follows from the order alone.
class LongestPath::Shape {
 public:
  explicit Shape(const Order& order) : edges_(essential_edges(order)), folded_(folded_steps(order, edges_)) {}

  std::uint32_t events() const { return static_cast<std::uint32_t>(edges_.first.size() - 1); }
  std::span<const std::uint32_t> before(std::uint32_t event) const { return edges_.before(event); }
  const PathSteps& folded() const { return folded_; }

  // Steps without folding, for durations that are valid only until the next stretch. Made on first use.
  const PathSteps& single() const {
    std::call_once(asked_, [this] { single_ = single_steps(edges_, folded_); });
    return single_;
  }

 private:
  EssentialEdges edges_;
  PathSteps folded_;
  mutable std::once_flag asked_;
  mutable PathSteps single_;
};

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

std::uint32_t LongestPath::event_count() const {
  return shape_->events();
}

void LongestPath::find_special(const Order& order, std::uint32_t replicas, std::span<const EventId> watched) {
  watched_ = static_cast<std::uint32_t>(watched.size());
  auto next = watched.begin();
  for (const PathStep& step : shape_->folded().steps) {
    const Event& event = order.event(EventId(step.event));
    const std::uint32_t joined = std::min(event.joined_replicas, replicas);
    if (joined > 1) lane_multiple_ = std::lcm(lane_multiple_, joined);
    const bool is_watched = next != watched.end() && next->index() == step.event;
    if (is_watched) ++next;
    if (shape_->before(step.event).size() > 2 || joined > 1 || is_watched)
      special_.push_back({step.event, joined, is_watched});
  }
  ensure(next == watched.end(), "watched events compute, and ascend");
}

// The pass of one block of lanes through the order.
class LongestPath::Pass {
 public:
  Pass(const LongestPath& path, DurationRows& rows, LiveEnds& ends, const LaneLoops& loops, Busy busy)
      : path_(path),
        rows_(rows),
        loops_(loops),
        stretch_(rows.from(0)),
        steps_(stretch_.count == path.event_count() ? path.shape_->folded() : path.shape_->single()),
        lanes_(rows.lanes()),
        width_(row_width(lanes_)),
        latest_(width_),
        ready_(width_),
        ending_{std::vector<Seconds>(lanes_), PerEvent<Seconds>(path.watched_, lanes_),
                PerEvent<Seconds>(path.watched_, lanes_),
                AlignedVector<double>(busy == Busy::Counted ? std::size_t{steps_.sums} * width_ : 0)} {
    if (ends.lanes() != width_ || ends.events() < steps_.rows) ends = LiveEnds(steps_.rows, width_);
    ends_ = reinterpret_cast<double*>(ends.flat().data());
    std::fill_n(ends_ + kZeroRow * width_, width_, 0.0);
  }

  PathEnding run() && {
    auto special = path_.special_.begin();
    for (auto step = steps_.steps.begin(); first_ < path_.event_count(); next_stretch()) {
      const std::uint32_t end = first_ + stretch_.count;
      while (step != steps_.steps.end() && step->event < end) {
        const bool stops = special != path_.special_.end() && special->event < end;
        const auto stop = step_of(step, stops ? special->event : end);
        // clang 14's span takes no two iterators.
        loops_.run({std::to_address(step), static_cast<std::size_t>(stop - step)}, first_, stretch_,
                   {width_, ends_, latest_.data(), sums()});
        step = stop;
        if (stops) run_special(*special++, *step++);
      }
    }
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) ending_.last[lane] = Seconds(latest_[lane]);
    if (sums()) ending_.busy.resize(ending_.busy.size() - width_);  // drops the last row: no rank
    return std::move(ending_);
  }

 private:
  using Step = std::vector<PathStep>::const_iterator;

  void next_stretch() {
    first_ += stretch_.count;
    if (first_ < path_.event_count()) stretch_ = rows_.from(first_);
  }

  // The first step from `step` on that is not before the event.
  Step step_of(Step step, std::uint32_t event) const {
    return std::lower_bound(step, steps_.steps.end(), event,
                            [](const PathStep& one, std::uint32_t at) { return one.event < at; });
  }

  // Joined replicas start together; a single lane stands for all of them.
  void run_special(const Special& special, const PathStep& step) {
    std::fill(ready_.begin(), ready_.end(), 0.0);
    for (const std::uint32_t before : path_.shape_->before(special.event)) wait_for(before);
    if (special.joined > 1 && lanes_ > 1) join(special.joined);
    double* const own = row(step.own);
    const double* const takes = takes_of(special.event);
    for (std::uint32_t lane = 0; lane < width_; ++lane) {
      own[lane] = ready_[lane] + takes[lane];
      latest_[lane] = std::max(latest_[lane], own[lane]);
    }
    for (std::uint32_t lane = 0; lane < width_ && sums(); ++lane)
      sums()[step.sum * width_ + lane] += takes[lane];
    if (special.watched) note(EventId(noted_++), own);
  }

  void wait_for(std::uint32_t before) {
    const bool folded = steps_.row[before] == kFolded;
    const double* const via = folded ? takes_of(before) : row(kZeroRow);
    const double* const end = row(steps_.row[folded ? path_.shape_->before(before).front() : before]);
    for (std::uint32_t lane = 0; lane < width_; ++lane)
      ready_[lane] = std::max(ready_[lane], end[lane] + via[lane]);
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
  double* sums() { return ending_.busy.empty() ? nullptr : ending_.busy.data(); }
  const double* takes_of(std::uint32_t event) const {
    return stretch_.rows + stretch_.row(event - first_) * width_;
  }

  const LongestPath& path_;
  DurationRows& rows_;
  const LaneLoops& loops_;
  RowStretch stretch_;
  const PathSteps& steps_;
  std::uint32_t first_ = 0;  // first event of the stretch
  std::uint32_t noted_ = 0;  // number of watched events noted
  std::uint32_t lanes_;
  std::uint32_t width_;
  double* ends_;
  AlignedVector<double> latest_, ready_;
  PathEnding ending_;
};

PathEnding LongestPath::run(DurationRows& rows, LiveEnds& ends, const LaneLoops& loops, Busy busy) const {
  ensure(rows.events() == event_count(), "durations cover the order");
  ensure(rows.lanes() == 1 || rows.lanes() % lane_multiple_ == 0, "joined replicas divide the lanes");
  return Pass(*this, rows, ends, loops, busy).run();
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
