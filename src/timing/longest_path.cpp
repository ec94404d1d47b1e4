#include "timing/longest_path.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "timing/essential_edges.h"

namespace spillway {
namespace {

static_assert(sizeof(Seconds) == sizeof(double), "lanes of Seconds are read as lanes of double");

// A cache line of lanes: what one event's ends fill, so that a predecessor costs one miss at most.
constexpr std::uint32_t kBlock = 8;

}  // namespace

LongestPath::LongestPath(const Order& order, std::uint32_t replicas) {
  EssentialEdges edges = essential_edges(order);
  first_ = std::move(edges.first);
  predecessors_ = std::move(edges.predecessors);
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const std::uint32_t joined = std::min(order.event(EventId(index)).joined_replicas, replicas);
    if (joined > 1) joined_.push_back({index, joined});
    lane_multiple_ = std::lcm(lane_multiple_, joined);
  }
}

// One lane: the loop a sweep lives on. No branch but the loops', no lane arithmetic.
double LongestPath::single_lane(const double* duration, double* end) const {
  const auto n = static_cast<std::uint32_t>(first_.size() - 1);
  double last = 0;
  for (std::uint32_t event = 0; event < n; ++event) {
    double ready = 0;
    for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i)
      ready = std::max(ready, end[predecessors_[i]]);
    end[event] = ready + duration[event];
    last = std::max(last, end[event]);
  }
  return last;
}

// The first `lanes` of `stride` lanes. `end` holds `lanes` values for each event.
void LongestPath::any_lanes(const double* duration, std::uint32_t stride, std::uint32_t lanes,
                            double* end) const {
  const auto n = static_cast<std::uint32_t>(first_.size() - 1);
  auto next = joined_.begin();
  for (std::uint32_t event = 0; event < n; ++event, duration += stride) {
    double* const own = end + std::size_t{event} * lanes;
    std::fill_n(own, lanes, 0.0);
    for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
      const double* const before = end + std::size_t{predecessors_[i]} * lanes;
      for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] = std::max(own[lane], before[lane]);
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] += duration[lane];
    if (next != joined_.end() && next->event == event) join(*next++, lanes, end);
  }
}

// The lanes from `duration` on, `Block` of them out of `lanes`. `end` holds Block values for each event.
// Known bounds let the compiler keep the lanes in vector registers.
template <std::uint32_t Block>
void LongestPath::block_of_lanes(const double* duration, std::uint32_t lanes, double* end,
                                 double* last) const {
  const auto n = static_cast<std::uint32_t>(first_.size() - 1);
  double latest[Block] = {};  // its own array, so that no store to `end` can touch it
  auto next = joined_.begin();
  for (std::uint32_t event = 0; event < n; ++event, duration += lanes) {
    double ready[Block] = {};
    for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
      const double* const before = end + std::size_t{predecessors_[i]} * Block;
      for (std::uint32_t lane = 0; lane < Block; ++lane) ready[lane] = std::max(ready[lane], before[lane]);
    }
    double* const own = end + std::size_t{event} * Block;
    for (std::uint32_t lane = 0; lane < Block; ++lane) own[lane] = ready[lane] + duration[lane];
    if (next != joined_.end() && next->event == event) join(*next++, Block, end);
    for (std::uint32_t lane = 0; lane < Block; ++lane) latest[lane] = std::max(latest[lane], own[lane]);
  }
  std::copy_n(latest, Block, last);
}

// Joined replicas start together, so with equal durations they end together.
void LongestPath::join(const Joined& joined, std::uint32_t lanes, double* end) {
  double* const own = end + std::size_t{joined.event} * lanes;
  for (std::uint32_t first = 0; first < lanes; first += joined.replicas) {
    const double last = *std::max_element(own + first, own + first + joined.replicas);
    std::fill_n(own + first, joined.replicas, last);
  }
}

void LongestPath::check(const Durations& durations) const {
  ensure(durations.events() == first_.size() - 1, "durations cover the order");
  ensure(durations.lanes() % lane_multiple_ == 0, "joined replicas divide the lanes");
}

Seconds LongestPath::makespan(const Durations& durations, PerEvent<Seconds>& ends) const {
  check(durations);
  const std::size_t n = durations.events();
  const std::uint32_t lanes = durations.lanes();
  if (ends.events() != n || ends.lanes() != lanes) ends = PerEvent<Seconds>(n, lanes);
  const double* const duration = reinterpret_cast<const double*>(durations.flat().data());
  double* const end = reinterpret_cast<double*>(ends.flat().data());
  if (lanes == 1) return Seconds(single_lane(duration, end));
  any_lanes(duration, lanes, lanes, end);
  return *std::max_element(ends.flat().begin(), ends.flat().end());
}

std::vector<Seconds> LongestPath::makespans(const Durations& durations, std::uint32_t group,
                                            PerEvent<Seconds>& ends) const {
  check(durations);
  const std::size_t n = durations.events();
  const std::uint32_t lanes = durations.lanes();
  ensure(group > 0 && lanes % group == 0 && group % lane_multiple_ == 0, "groups of lanes stand alone");
  std::vector<double> last(lanes);
  const double* const duration = reinterpret_cast<const double*>(durations.flat().data());
  std::uint32_t lane = 0;
  if (kBlock % lane_multiple_ == 0) {
    if (ends.events() != n || ends.lanes() != kBlock) ends = PerEvent<Seconds>(n, kBlock);
    double* const end = reinterpret_cast<double*>(ends.flat().data());
    for (; lane + kBlock <= lanes; lane += kBlock)
      block_of_lanes<kBlock>(duration + lane, lanes, end, last.data() + lane);
  }
  if (lane < lanes) {
    const std::uint32_t rest = lanes - lane;
    ends = PerEvent<Seconds>(n, rest);
    any_lanes(duration + lane, lanes, rest, reinterpret_cast<double*>(ends.flat().data()));
    for (std::size_t i = 0; i < ends.flat().size(); ++i)
      last[lane + i % rest] = std::max(last[lane + i % rest], ends.flat()[i].value());
  }
  std::vector<Seconds> makespans;
  for (std::uint32_t first = 0; first < lanes; first += group)
    makespans.emplace_back(*std::max_element(last.begin() + first, last.begin() + first + group));
  return makespans;
}

std::vector<Seconds> LongestPath::ends(const Durations& durations, std::uint32_t first, std::uint32_t count,
                                       PerEvent<Seconds>& ends) const {
  const auto n = static_cast<std::uint32_t>(first_.size() - 1);
  ensure(durations.events() == n, "durations cover the order");
  ensure(count == 1 || (count % lane_multiple_ == 0 && first % lane_multiple_ == 0),
         "joined replicas divide the lanes");
  if (ends.events() != n || ends.lanes() != count) ends = PerEvent<Seconds>(n, count);
  std::vector<Seconds> last(count);
  auto next = joined_.begin();
  for (std::uint32_t event = 0; event < n; ++event) {
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      ends.at(EventId(event), lane) =
          ready_at(event, lane, 1, ends) + durations.at(EventId(event), first + lane);
    }
    if (count > 1 && next != joined_.end() && next->event == event)
      join(*next++, count, reinterpret_cast<double*>(ends.flat().data()));
    for (std::uint32_t lane = 0; lane < count; ++lane)
      last[lane] = std::max(last[lane], ends.at(EventId(event), lane));
  }
  return last;
}

Seconds LongestPath::start(EventId event, std::uint32_t lane, const PerEvent<Seconds>& ends) const {
  std::uint32_t joined = 1;
  const auto at = std::lower_bound(joined_.begin(), joined_.end(), event.index(),
                                   [](const Joined& j, std::uint32_t e) { return j.event < e; });
  if (ends.lanes() > 1 && at != joined_.end() && at->event == event.index()) joined = at->replicas;
  return ready_at(event.index(), lane / joined * joined, joined, ends);
}

Timeline LongestPath::timeline(const Durations& durations) const {
  check(durations);
  const auto n = static_cast<std::uint32_t>(durations.events());
  const std::uint32_t lanes = durations.lanes();
  Timeline timeline{PerEvent<Seconds>(n, lanes), PerEvent<Seconds>(n, lanes)};
  auto next = joined_.begin();
  for (std::uint32_t index = 0; index < n; ++index) {
    const EventId id(index);
    const std::uint32_t joined = next != joined_.end() && next->event == index ? (next++)->replicas : 1;
    for (std::uint32_t first = 0; first < lanes; first += joined) {
      const Seconds start = ready_at(index, first, joined, timeline.end);
      for (std::uint32_t lane = first; lane < first + joined; ++lane) {
        timeline.start.at(id, lane) = start;
        timeline.end.at(id, lane) = start + durations.at(id, lane);
      }
    }
  }
  return timeline;
}

// When the last predecessor on any of the joined lanes has ended.
Seconds LongestPath::ready_at(std::uint32_t event, std::uint32_t first_lane, std::uint32_t joined,
                              const PerEvent<Seconds>& end) const {
  Seconds ready;
  for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
    for (std::uint32_t lane = first_lane; lane < first_lane + joined; ++lane) {
      ready = std::max(ready, end.at(EventId(predecessors_[i]), lane));
    }
  }
  return ready;
}

}  // namespace spillway
