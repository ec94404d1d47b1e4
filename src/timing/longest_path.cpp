#include "timing/longest_path.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace spillway {
namespace {

static_assert(sizeof(Seconds) == sizeof(double), "lanes of Seconds are read as lanes of double");

constexpr std::uint32_t kUnset = static_cast<std::uint32_t>(-1);

// The predecessors of `id` without those that the rank's own sequence implies: of several computing events of
// one rank, only the last can be the last to end. Keeps the hot loop short where every backward accumulates
// into a reduce.
void append_essential(const Order& order, EventId id, std::vector<std::uint32_t>& predecessors,
                      std::vector<std::uint32_t>& latest_on_rank) {
  const auto all = order.predecessors(id);
  if (all.size() <= 2) {
    predecessors.insert(predecessors.end(), all.begin(), all.end());
    return;
  }
  for (std::uint32_t predecessor : all) {
    const Event& event = order.event(EventId(predecessor));
    if (!event.computes()) continue;
    std::uint32_t& latest = latest_on_rank[event.rank.index()];
    if (latest == kUnset || latest < predecessor) latest = predecessor;
  }
  for (std::uint32_t predecessor : all) {
    const Event& event = order.event(EventId(predecessor));
    if (!event.computes() || latest_on_rank[event.rank.index()] == predecessor)
      predecessors.push_back(predecessor);
  }
  for (std::uint32_t predecessor : all)
    latest_on_rank[order.event(EventId(predecessor)).rank.index()] = kUnset;
}

}  // namespace

LongestPath::LongestPath(const Order& order, std::uint32_t replicas) {
  const auto n = static_cast<std::uint32_t>(order.event_count());
  std::vector<std::uint32_t> latest_on_rank(order.rank_count(), kUnset);
  first_.reserve(std::size_t{n} + 1);
  predecessors_.reserve(order.edge_count());
  for (std::uint32_t index = 0; index < n; ++index) {
    first_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
    append_essential(order, EventId(index), predecessors_, latest_on_rank);
    const std::uint32_t joined = std::min(order.event(EventId(index)).joined_replicas, replicas);
    if (joined > 1) joined_.push_back({index, joined});
    lane_multiple_ = std::lcm(lane_multiple_, joined);
  }
  first_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
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

void LongestPath::lanes_of(std::uint32_t event, std::uint32_t lanes, const double* duration,
                           double* end) const {
  double* const own = end + std::size_t{event} * lanes;
  std::fill_n(own, lanes, 0.0);
  for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
    const double* const before = end + std::size_t{predecessors_[i]} * lanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] = std::max(own[lane], before[lane]);
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] += duration[std::size_t{event} * lanes + lane];
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
  auto next = joined_.begin();
  for (std::uint32_t event = 0; event < n; ++event) {
    lanes_of(event, lanes, duration, end);
    if (next != joined_.end() && next->event == event) join(*next++, lanes, end);
  }
  return *std::max_element(ends.flat().begin(), ends.flat().end());
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
