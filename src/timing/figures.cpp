#include "timing/figures.h"

#include <algorithm>
#include <numeric>

namespace spillway {
namespace {

// Does the stage hold a layer of an encoder, of a backbone?
bool holds(const Derived& derived, const Stage& stage, Role role) {
  const auto& blocks = derived.model.blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (blocks[block].role == role && derived.model.part_of(block, stage.layers).size() > 0) return true;
  }
  return false;
}

std::vector<bool> stages_with(const Derived& derived, Role role) {
  std::vector<bool> with;
  for (const Stage& stage : derived.stages) with.push_back(holds(derived, stage, role));
  return with;
}

// What a rank's own events add up to, on one lane.
struct Sums {
  Seconds busy, communication, encoder;
  Seconds first_start, last_end;
  bool computes = false;
};

class Figures {
 public:
  Figures(const Derived& derived, const Durations& durations, const Timeline& timeline,
          const Durations& free_durations, const Timeline& free_timeline)
      : derived_(derived),
        durations_(durations),
        timeline_(timeline),
        free_durations_(free_durations),
        free_timeline_(free_timeline),
        makespan_(timeline.makespan()),
        backbone_(stages_with(derived, Role::Backbone)) {}

  RankFigures of(ReplicaId replica, RankId rank) const {
    const std::uint32_t lane = replica.index();
    const Sums sums = add_up(rank, lane);
    const Seconds slack = warmup_slack(rank, lane);
    return {.replica = replica,
            .rank = rank,
            .busy = sums.busy,
            .communication = sums.communication,
            .bubble = makespan_ - sums.busy,
            .idle = makespan_ - sums.busy - sums.communication,
            .first_start = sums.first_start,
            .last_end = sums.last_end,
            .warmup_slack = slack,
            .encoder = sums.encoder,
            .spill = std::max(Seconds(), sums.encoder - slack)};
  }

 private:
  Sums add_up(RankId rank, std::uint32_t lane) const {
    Sums sums;
    for (EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      const Seconds duration = durations_.at(id, lane);
      if (event.communicates()) sums.communication += duration;
      if (!event.computes()) continue;
      if (!sums.computes) sums.first_start = timeline_.start.at(id, lane);
      sums.computes = true;
      sums.busy += duration;
      sums.last_end = std::max(sums.last_end, timeline_.end.at(id, lane));
      if (event.kind == EventKind::Forward) sums.encoder += duration - free_durations_.at(id, lane);
    }
    return sums;
  }

  // w_r: idle time before the first backbone forward, with encoder durations zero.
  Seconds warmup_slack(RankId rank, std::uint32_t lane) const {
    Seconds busy_before;
    for (EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      if (!event.computes()) continue;
      if (event.kind == EventKind::Forward && backbone_[event.stage.index()]) {
        return free_timeline_.start.at(id, lane) - busy_before;
      }
      busy_before += free_durations_.at(id, lane);
    }
    return Seconds();
  }

  const Derived& derived_;
  const Durations& durations_;
  const Timeline& timeline_;
  const Durations& free_durations_;
  const Timeline& free_timeline_;
  Seconds makespan_;
  std::vector<bool> backbone_;
};

}  // namespace

std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations, const Timeline& timeline,
                                      const Durations& free_durations, const Timeline& free_timeline) {
  const Figures figures(derived, durations, timeline, free_durations, free_timeline);
  std::vector<RankFigures> all;
  for (std::uint32_t replica = 0; replica < durations.lanes(); ++replica) {
    for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
      all.push_back(figures.of(ReplicaId(replica), RankId(rank)));
    }
  }
  return all;
}

double bubble_fraction(const std::vector<RankFigures>& ranks, Seconds makespan) {
  if (makespan == Seconds()) return 0;
  Seconds busy;
  for (const RankFigures& rank : ranks) busy += rank.busy;
  return 1 - busy / (makespan * static_cast<double>(ranks.size()));
}

}  // namespace spillway
