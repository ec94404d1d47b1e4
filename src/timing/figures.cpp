#include "timing/figures.h"

#include <algorithm>

#include "timing/stages_with.h"

namespace spillway {
namespace {

Seconds slack_before_backbone(const Derived& derived, const std::vector<bool>& backbone, RankId rank,
                              std::uint32_t lane, const Durations& free_durations,
                              const Timeline& free_timeline) {
  Seconds busy_before;
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    if (event.runs_forward() && backbone[event.stage.index()]) {
      return free_timeline.start.at(id, lane) - busy_before;
    }
    busy_before += free_durations.at(id, lane);
  }
  return Seconds();
}

// What a rank's own events add up to, on one lane.
struct Sums {
  Seconds busy, communication, encoder;
  Seconds first_start, last_end;
  bool computes = false;
};

class Figures {
 public:
  Figures(const Derived& derived, const Durations& durations, const Durations& encoder_forwards,
          const Timeline& timeline, const Durations& free_durations, const Timeline& free_timeline)
      : derived_(derived),
        durations_(durations),
        encoder_forwards_(encoder_forwards),
        timeline_(timeline),
        makespan_(timeline.makespan()),
        slack_(warmup_slack(derived, free_durations, free_timeline)) {}

  RankFigures of(ReplicaId replica, RankId rank) const {
    const std::uint32_t lane = replica.index();
    const Sums sums = add_up(rank, lane);
    const Seconds slack = slack_[std::size_t{lane} * derived_.order.rank_count() + rank.index()];
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
      sums.encoder += encoder_forwards_.at(id, lane);
    }
    return sums;
  }

  const Derived& derived_;
  const Durations& durations_;
  const Durations& encoder_forwards_;
  const Timeline& timeline_;
  Seconds makespan_;
  std::vector<Seconds> slack_;
};

}  // namespace

std::vector<Seconds> warmup_slack(const Derived& derived, const Durations& free_durations,
                                  const Timeline& free_timeline) {
  const std::vector<bool> backbone = stages_with(derived, Role::Backbone);
  std::vector<Seconds> slack;
  for (std::uint32_t lane = 0; lane < free_durations.lanes(); ++lane) {
    for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
      slack.push_back(
          slack_before_backbone(derived, backbone, RankId(rank), lane, free_durations, free_timeline));
    }
  }
  return slack;
}

std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations,
                                      const Durations& encoder_forwards, const Timeline& timeline,
                                      const Durations& free_durations, const Timeline& free_timeline) {
  const Figures figures(derived, durations, encoder_forwards, timeline, free_durations, free_timeline);
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

double bubble_rate(const std::vector<RankFigures>& ranks) {
  ensure(!ranks.empty(), "a bubble rate needs a rank");
  const auto span = [](const RankFigures& rank) { return rank.last_end - rank.first_start; };
  const auto longest =
      std::max_element(ranks.begin(), ranks.end(),
                       [&](const RankFigures& a, const RankFigures& b) { return span(a) < span(b); });
  return span(*longest) == Seconds() ? 0 : 1 - longest->busy / span(*longest);
}

}  // namespace spillway
