#include "timing/lane_evaluator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "derive/feeding.h"
#include "timing/lane_block.h"

namespace spillway {
namespace {

// Of the replicas that compute together. Others meet at reductions alone, after which only the step ends, so
// that the longest of them by themselves is as long as the step.
std::uint32_t computing_together(const Order& order) {
  std::uint32_t together = 1;
  for (const Event& event : order.events())
    if (event.computes()) together = std::lcm(together, event.joined_replicas);
  return together;
}

template <class Lane>
std::uint32_t lane_count(std::span<Lane> lanes) {
  return static_cast<std::uint32_t>(lanes.size());
}

// Contract: `shares` has a block of lanes.
void add_up_block(const std::vector<EventId>& events, const Durations& durations, std::uint32_t first,
                  Seconds RankShare::*sum, std::vector<RankShare>& shares) {
  const double* const from = reinterpret_cast<const double*>(durations.flat().data()) + first;
  TwoLanes total[kBlockVectors] = {};
  for (EventId id : events) {
    const double* const row = from + std::size_t{id.index()} * durations.lanes();
    for (std::uint32_t i = 0; i < kBlockVectors; ++i) total[i] += reinterpret_cast<const TwoLanes*>(row)[i];
  }
  for (std::uint32_t lane = 0; lane < kBlockLanes; ++lane)
    shares[lane].*sum = Seconds(total[lane / 2][lane % 2]);
}

// In the order of `events`, lane by lane from `first` on.
void add_up(const std::vector<EventId>& events, const Durations& durations, std::uint32_t first,
            Seconds RankShare::*sum, std::vector<RankShare>& shares) {
  if (shares.size() == kBlockLanes) return add_up_block(events, durations, first, sum, shares);
  for (EventId id : events)
    for (std::uint32_t lane = 0; lane < shares.size(); ++lane)
      shares[lane].*sum += durations.at(id, first + lane);
}

// One lane may stand for all.
const FreeLane& free_lane(std::span<const FreeLane> free, std::size_t lane) {
  return free[free.size() == 1 ? 0 : lane];
}

}  // namespace

LaneEvaluator::LaneEvaluator(const Derived& derived)
    : together_(computing_together(derived.order)), longest_path_(derived.order, together_) {
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    ranks_.push_back(events_of(derived, RankId(rank)));
  if (const auto feeding = feeding_of(derived)) warm_up_.emplace(derived, *feeding);
}

LaneEvaluator::RankEvents LaneEvaluator::events_of(const Derived& derived, RankId rank) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  RankEvents events{{}, {}, 1};
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    if (events.computing.empty()) events.first_joined = event.joined_replicas;
    events.computing.push_back(id);
    if (is_transposed_forward(derived, feeding, event)) events.encoding.push_back(id);
  }
  return events;
}

std::vector<FreeLane> LaneEvaluator::free_lanes(const Durations& free, PerEvent<Seconds>& ends) const {
  ensure(spills(), "without transposed work nothing is free");
  std::vector<FreeLane> lanes(free.lanes());
  const std::uint32_t width = std::lcm(kBlockLanes, together_);
  for (std::uint32_t first = 0; first < free.lanes(); first += width)
    run_free(free, first, std::span(lanes).subspan(first, std::min(width, free.lanes() - first)), ends);
  return lanes;
}

std::vector<LaneFigures> LaneEvaluator::figures(const Durations& counted, std::span<const FreeLane> free,
                                                PerEvent<Seconds>& ends) const {
  const std::uint32_t lanes = counted.lanes();
  ensure(spills() ? free.size() == lanes || free.size() == 1 : free.empty(),
         "transposed work is free on one lane or on each");
  std::vector<LaneFigures> figures(lanes);
  const std::uint32_t width = std::lcm(kBlockLanes, together_);
  for (std::uint32_t first = 0; first < lanes; first += width)
    run_counted(counted, first, free, std::span(figures).subspan(first, std::min(width, lanes - first)),
                ends);
  return figures;
}

void LaneEvaluator::run_free(const Durations& durations, std::uint32_t first, std::span<FreeLane> lanes,
                             PerEvent<Seconds>& ends) const {
  const std::vector<Seconds> last = longest_path_.ends(durations, first, lane_count(lanes), ends);
  std::vector<std::vector<Seconds>> slack = warm_up_->slack(durations, first, lane_count(lanes));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = {last[lane], std::move(slack[lane])};
}

void LaneEvaluator::run_counted(const Durations& counted, std::uint32_t first, std::span<const FreeLane> free,
                                std::span<LaneFigures> lanes, PerEvent<Seconds>& ends) const {
  const std::vector<Seconds> last = longest_path_.ends(counted, first, lane_count(lanes), ends);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane].end = last[lane];
    lanes[lane].busy.reserve(ranks_.size());
    if (spills()) lanes[lane].spill = {{last[lane], free_lane(free, first + lane).end}};
  }
  std::vector<RankShare> shares(lanes.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    share_of(ranks_[rank], counted, first, ends, shares);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (spills()) shares[lane].warm_up_slack = free_lane(free, first + lane).slack[rank];
      add(shares[lane], lanes[lane]);
    }
  }
}

// All but its slack, lane by lane.
void LaneEvaluator::share_of(const RankEvents& rank, const Durations& counted, std::uint32_t first,
                             const PerEvent<Seconds>& ends, std::vector<RankShare>& shares) const {
  std::fill(shares.begin(), shares.end(), RankShare{});
  if (rank.computing.empty()) return;
  add_up(rank.computing, counted, first, &RankShare::busy, shares);
  if (spills()) add_up(rank.encoding, counted, first, &RankShare::encoder, shares);
  const std::uint32_t joined = std::min(rank.first_joined, ends.lanes());
  for (std::uint32_t lane = 0; lane < shares.size(); ++lane) {
    shares[lane].first_start =
        longest_path_.ready_at(rank.computing.front(), lane - lane % joined, joined, ends);
    shares[lane].last_end = ends.at(rank.computing.back(), lane);
  }
}

}  // namespace spillway
