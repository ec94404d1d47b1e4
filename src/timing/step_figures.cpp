#include "timing/step_figures.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
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

Seconds longest(std::span<const LaneFigures> replicas, Seconds LaneFigures::*end) {
  Seconds last;
  for (const LaneFigures& replica : replicas) last = std::max(last, replica.*end);
  return last;
}

// Rank by rank, replica by replica, as bubble_fraction() adds them up.
Seconds busy_of_all(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas) {
  Seconds busy;
  for (std::uint32_t copy = 0; copy < equal_replicas; ++copy)
    for (const LaneFigures& replica : replicas)
      for (Seconds of_rank : replica.busy) busy += of_rank;
  return busy;
}

template <class Lane>
std::uint32_t lane_count(std::span<Lane> lanes) {
  return static_cast<std::uint32_t>(lanes.size());
}

// Contract: `sums` has a block of lanes.
void add_up_block(const std::vector<EventId>& events, const Durations& durations, std::uint32_t first,
                  std::vector<Seconds>& sums) {
  const double* const from = reinterpret_cast<const double*>(durations.flat().data()) + first;
  TwoLanes total[kBlockVectors] = {};
  for (EventId id : events) {
    const double* const row = from + std::size_t{id.index()} * durations.lanes();
    for (std::uint32_t i = 0; i < kBlockVectors; ++i) total[i] += reinterpret_cast<const TwoLanes*>(row)[i];
  }
  for (std::uint32_t lane = 0; lane < kBlockLanes; ++lane) sums[lane] = Seconds(total[lane / 2][lane % 2]);
}

// In the order of `events`, lane by lane from `first` on, over what `sums` held.
void add_up(const std::vector<EventId>& events, const Durations& durations, std::uint32_t first,
            std::vector<Seconds>& sums) {
  if (sums.size() == kBlockLanes) return add_up_block(events, durations, first, sums);
  std::fill(sums.begin(), sums.end(), Seconds());
  for (EventId id : events)
    for (std::uint32_t lane = 0; lane < sums.size(); ++lane) sums[lane] += durations.at(id, first + lane);
}

}  // namespace

double encoder_to_bubble(Seconds encoder, Seconds slack) {
  return encoder == Seconds() ? 0 : encoder / slack;
}

StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas) {
  ensure(!replicas.empty(), "a step has a replica");
  StepFigures figures{longest(replicas, &LaneFigures::end), 0, {}, {}, 0};
  const std::size_t ranks = replicas.front().busy.size() * replicas.size() * equal_replicas;
  if (figures.makespan != Seconds())
    figures.bubble_fraction =
        1 - busy_of_all(replicas, equal_replicas) / (figures.makespan * static_cast<double>(ranks));
  Seconds encoder, slack;
  for (const LaneFigures& replica : replicas) {
    figures.max_spill = std::max(figures.max_spill, replica.max_spill);
    encoder += replica.encoder;
    slack += replica.slack;
  }
  figures.encoder_to_bubble = encoder_to_bubble(encoder, slack);
  figures.exposed_encoder = figures.makespan - longest(replicas, &LaneFigures::free_end);
  return figures;
}

LaneEvaluator::LaneEvaluator(const Derived& derived)
    : together_(computing_together(derived.order)), longest_path_(derived.order, together_) {
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    ranks_.push_back(events_of(derived, RankId(rank)));
}

LaneEvaluator::RankEvents LaneEvaluator::events_of(const Derived& derived, RankId rank) {
  RankEvents events;
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const Stage& stage = derived.stage(event.stage);
    if (!events.backbone && event.runs_forward() && derived.holds(stage, Role::Backbone)) {
      events.backbone = id;
      events.before_backbone = events.computing;
    }
    events.computing.push_back(id);
    if (event.runs_forward() && derived.holds(stage, Role::Encoder)) events.encoding.push_back(id);
  }
  return events;
}

std::vector<LaneFigures> LaneEvaluator::figures(const PricedLanes& priced) const {
  PerEvent<Seconds> ends;
  const std::vector<FreeLane> free = free_lanes(priced.free, ends);
  return figures(priced.counted, priced.encoder_forwards, free, ends);
}

std::vector<FreeLane> LaneEvaluator::free_lanes(const Durations& free, PerEvent<Seconds>& ends) const {
  std::vector<FreeLane> lanes(free.lanes());
  const std::uint32_t width = std::lcm(kBlockLanes, together_);
  for (std::uint32_t first = 0; first < free.lanes(); first += width)
    run_free(free, first, std::span(lanes).subspan(first, std::min(width, free.lanes() - first)), ends);
  return lanes;
}

std::vector<LaneFigures> LaneEvaluator::figures(const Durations& counted, const Durations& encoder_forwards,
                                                std::span<const FreeLane> free,
                                                PerEvent<Seconds>& ends) const {
  const std::uint32_t lanes = counted.lanes();
  ensure(encoder_forwards.lanes() == lanes, "encoder forwards have the lanes of what is counted");
  ensure(free.size() == lanes || free.size() == 1, "the encoder is free on one lane or on each");
  std::vector<LaneFigures> figures(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    figures[lane].free_end = free[free.size() == 1 ? 0 : lane].end;
  const std::uint32_t width = std::lcm(kBlockLanes, together_);
  for (std::uint32_t first = 0; first < lanes; first += width)
    run_counted(counted, encoder_forwards, first, free,
                std::span(figures).subspan(first, std::min(width, lanes - first)), ends);
  return figures;
}

void LaneEvaluator::run_free(const Durations& durations, std::uint32_t first, std::span<FreeLane> lanes,
                             PerEvent<Seconds>& ends) const {
  const std::vector<Seconds> last = longest_path_.ends(durations, first, lane_count(lanes), ends);
  std::vector<Seconds> before(lanes.size());
  for (const RankEvents& rank : ranks_) {
    add_up(rank.before_backbone, durations, first, before);
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane].slack.push_back(
          rank.backbone ? longest_path_.start(*rank.backbone, lane, ends) - before[lane] : Seconds());
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane].end = last[lane];
}

void LaneEvaluator::run_counted(const Durations& counted, const Durations& encoder_forwards,
                                std::uint32_t first, std::span<const FreeLane> free,
                                std::span<LaneFigures> lanes, PerEvent<Seconds>& ends) const {
  const std::vector<Seconds> last = longest_path_.ends(counted, first, lane_count(lanes), ends);
  std::vector<Seconds> busy(lanes.size()), encoder(lanes.size());
  for (LaneFigures& lane : lanes) lane.busy.reserve(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    add_up(ranks_[rank].computing, counted, first, busy);
    add_up(ranks_[rank].encoding, encoder_forwards, first, encoder);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const Seconds slack = free[free.size() == 1 ? 0 : first + lane].slack[rank];
      lanes[lane].busy.push_back(busy[lane]);
      lanes[lane].max_spill = std::max(lanes[lane].max_spill, encoder[lane] - slack);
      lanes[lane].encoder += encoder[lane];
      lanes[lane].slack += slack;
    }
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane].end = last[lane];
}

}  // namespace spillway
