#include "timing/step_figures.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

Seconds last_end(std::span<const LaneFigures> replicas) {
  Seconds last;
  for (const LaneFigures& replica : replicas) last = std::max(last, replica.end);
  return last;
}

// Of encoder work to slack; zero without any work.
double ratio(Seconds encoder, Seconds slack) {
  return encoder == Seconds() ? 0 : encoder / slack;
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

// One rank's.
void add(Seconds encoder, Seconds slack, LaneSpill& all) {
  all.max_spill = std::max(all.max_spill, encoder - slack);
  all.encoder += encoder;
  all.slack += slack;
}

}  // namespace

StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas) {
  ensure(!replicas.empty(), "a step has a replica");
  StepFigures figures{last_end(replicas), 0, {}};
  const std::size_t ranks = replicas.front().busy.size() * replicas.size() * equal_replicas;
  if (figures.makespan != Seconds())
    figures.bubble_fraction =
        1 - busy_of_all(replicas, equal_replicas) / (figures.makespan * static_cast<double>(ranks));
  if (!replicas.front().spill) return figures;
  LaneSpill all{};
  for (const LaneFigures& replica : replicas) {
    all.max_spill = std::max(all.max_spill, replica.spill->max_spill);
    all.encoder += replica.spill->encoder;
    all.slack += replica.spill->slack;
    all.free_end = std::max(all.free_end, replica.spill->free_end);
  }
  figures.spill = {all.max_spill, figures.makespan - all.free_end, ratio(all.encoder, all.slack)};
  return figures;
}

std::optional<StepSpill> step_spill(std::span<const RankFigures> ranks, std::uint32_t ranks_of_replica,
                                    Seconds exposed) {
  if (!ranks.front().spill) return std::nullopt;
  StepSpill step{{}, exposed, 0};
  Seconds encoder, slack;
  for (std::size_t first = 0; first < ranks.size(); first += ranks_of_replica) {
    Seconds encoder_of_replica, slack_of_replica;
    for (const RankFigures& rank : ranks.subspan(first, ranks_of_replica)) {
      step.max_spill = std::max(step.max_spill, rank.spill->spill);
      encoder_of_replica += rank.spill->encoder;
      slack_of_replica += rank.spill->warm_up_slack;
    }
    encoder += encoder_of_replica;
    slack += slack_of_replica;
  }
  step.encoder_to_bubble = ratio(encoder, slack);
  return step;
}

LaneEvaluator::LaneEvaluator(const Derived& derived)
    : together_(computing_together(derived.order)), longest_path_(derived.order, together_) {
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    ranks_.push_back(events_of(derived, RankId(rank)));
  if (const auto feeding = feeding_of(derived)) warm_up_.emplace(derived, *feeding);
}

LaneEvaluator::RankEvents LaneEvaluator::events_of(const Derived& derived, RankId rank) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  RankEvents events;
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (event.computes()) events.computing.push_back(id);
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
  std::vector<Seconds> busy(lanes.size()), encoder(lanes.size());
  const auto free_of = [&](std::size_t lane) -> const FreeLane& {
    return free[free.size() == 1 ? 0 : first + lane];
  };
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane].end = last[lane];
    lanes[lane].busy.reserve(ranks_.size());
    if (spills()) lanes[lane].spill = {free_of(lane).end, {}, {}, {}};
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    add_up(ranks_[rank].computing, counted, first, busy);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane].busy.push_back(busy[lane]);
    if (!spills()) continue;
    add_up(ranks_[rank].encoding, counted, first, encoder);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      add(encoder[lane], free_of(lane).slack[rank], *lanes[lane].spill);
  }
}

}  // namespace spillway
