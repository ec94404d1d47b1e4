#include "timing/figures.h"

#include <algorithm>
#include <utility>

#include "timing/warm_up.h"

namespace spillway {
namespace {

// Sums over a rank's own events on one lane.
struct Sums {
  Seconds busy, communication, encoder;
  Seconds first_start, last_end;
  bool computes = false;
  std::vector<TimeSpan> spans;  // of all events in which the rank takes part
};

class Figures {
 public:
  Figures(const Derived& derived, const Durations& durations, const Timeline& timeline)
      : derived_(derived),
        durations_(durations),
        timeline_(timeline),
        feeding_(feeding_of(derived)),
        makespan_(timeline.makespan()),
        slack_(warm_up_slack(derived, durations)),
        arriving_(derived.order.rank_count()) {
    for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
      const Event& event = derived.order.event(EventId(index));
      if (event.transfers()) arriving_[event.peer_rank.index()].push_back(EventId(index));
    }
  }

  RankFigures of(ReplicaId replica, RankId rank) const {
    const std::uint32_t lane = replica.index();
    Sums sums = add_up(rank, lane);
    RankFigures figures{.replica = replica,
                        .rank = rank,
                        .busy = sums.busy,
                        .communication = sums.communication,
                        .bubble = makespan_ - sums.busy,
                        .idle = idle_time(std::move(sums.spans), makespan_),
                        .first_start = sums.first_start,
                        .last_end = sums.last_end,
                        .spill = std::nullopt};
    if (!feeding_) return figures;
    const Seconds slack = slack_[lane][rank.index()];
    figures.spill = {slack, sums.encoder, std::max(Seconds(), sums.encoder - slack)};
    return figures;
  }

 private:
  Sums add_up(RankId rank, std::uint32_t lane) const {
    Sums sums;
    for (EventId id : arriving_[rank.index()]) sums.spans.push_back(span_of(id, lane));
    for (EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      const Seconds duration = durations_.at(id, lane);
      const TimeSpan span = span_of(id, lane);
      sums.spans.push_back(span);
      if (event.communicates()) sums.communication += duration;
      if (!event.computes()) continue;
      if (!sums.computes) sums.first_start = span.start;
      sums.computes = true;
      sums.busy += duration;
      sums.last_end = std::max(sums.last_end, span.end);
      if (is_transposed_forward(derived_, feeding_, event)) sums.encoder += duration;
    }
    return sums;
  }

  TimeSpan span_of(EventId id, std::uint32_t lane) const {
    return {timeline_.start.at(id, lane), timeline_.end.at(id, lane)};
  }

  const Derived& derived_;
  const Durations& durations_;
  const Timeline& timeline_;
  std::optional<Feeding> feeding_;
  Seconds makespan_;
  std::vector<std::vector<Seconds>> slack_;     // by lane and rank
  std::vector<std::vector<EventId>> arriving_;  // by rank: transfers to it
};

}  // namespace

std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations,
                                      const Timeline& timeline) {
  const Figures figures(derived, durations, timeline);
  std::vector<RankFigures> all;
  for (std::uint32_t replica = 0; replica < durations.lanes(); ++replica) {
    for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
      all.push_back(figures.of(ReplicaId(replica), RankId(rank)));
  }
  return all;
}

StepFigures step_figures(const std::vector<RankFigures>& ranks, Seconds makespan,
                         const std::optional<PathEnds>& path, std::uint32_t equal_replicas,
                         std::span<const double> devices) {
  std::vector<LaneFigures> replicas;
  for (const RankFigures& rank : ranks) {
    ensure(rank.spill.has_value() == path.has_value(), "what spills ends in two ways");
    if (rank.replica.index() == replicas.size())
      replicas.push_back({makespan, path ? std::optional(LaneSpill{*path}) : std::nullopt});
    const RankSpill spill = rank.spill.value_or(RankSpill{});
    add({rank.busy, rank.first_start, rank.last_end, spill.encoder, spill.warm_up_slack}, replicas.back());
  }
  return step_figures(replicas, equal_replicas, devices);
}

}  // namespace spillway
