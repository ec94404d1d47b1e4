// Runs the longest path of the step with free inputs. A gap of a rank lies between the end of one event of
// its body and the beginning of the next. The first gap starts with the step.
#include "optimize/body_room.h"

#include <algorithm>
#include <optional>

#include "base/exact_sum.h"
#include "optimize/plan.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

// The least time of a pass, as a share of the longest expected pass.
constexpr double kLeast = 1e-9;

class RoomFinder {
 public:
  RoomFinder(const OwnerRequest& request, const Derived& derived) : request_(request), derived_(derived) {}

  BodyRoom find() {
    const CostModels models = cost_models(request_.costs, derived_, request_.draws.numbers());
    const Timeline timeline = LongestPath(derived_.order, 1).timeline(durations(models));
    expect(models);
    room_.gaps.resize(pipeline().ranks);
    room_.enters.resize(pipeline().microbatches);
    room_.leaves.resize(pipeline().microbatches);
    for (std::uint32_t id = 0; id < derived_.order.event_count(); ++id) note_entry(EventId(id), timeline);
    for (std::uint32_t rank = 0; rank < pipeline().ranks; ++rank) note_gaps(RankId(rank), timeline, models);
    return std::move(room_);
  }

 private:
  const Pipeline& pipeline() const { return request_.costs.experiment().pipeline; }

  template <class ValueOf>
  Seconds mean(const CostModels& models, ValueOf value_of) const {
    ExactSum sum;
    for (const auto& model : models)
      for (std::uint32_t replica = 0; replica < pipeline().replicas; ++replica)
        sum.add(value_of(*model, ReplicaId(replica)));
    return Seconds(sum.over(static_cast<double>(models.size()) * pipeline().replicas));
  }

  // Adds a piece's passes of each microbatch. The stage is the piece's on the first rank.
  void add_passes(const CostModels& models, Pass pass, StageId stage,
                  std::vector<std::vector<Seconds>>& times) const {
    std::vector<Seconds> piece;
    for (std::uint32_t m = 0; m < times.size(); ++m)
      piece.push_back(mean(models, [&](const CostModel& model, ReplicaId replica) {
        return model.pass(pass, stage, MicrobatchId(m), replica);
      }));
    if (request_.alike) level(piece);
    for (std::uint32_t m = 0; m < times.size(); ++m) times[m].push_back(std::max(piece[m], room_.least));
  }

  void expect(const CostModels& models) {
    const std::vector<StageId> pieces = derived_.input_stages(RankId(0));
    room_.encode.resize(pipeline().microbatches);
    room_.backward.resize(pipeline().microbatches);
    for (const StageId stage : pieces) add_passes(models, Pass::Forward, stage, room_.encode);
    for (auto piece = static_cast<std::uint32_t>(pieces.size()); piece-- > 0;) {
      if (!derived_.region_of(pieces[piece]).trainable) continue;
      room_.trained.push_back(piece);
      add_passes(models, Pass::Backward, pieces[piece], room_.backward);
    }
    expect_transfers(models, pieces);
  }

  void expect_transfers(const CostModels& models, const std::vector<StageId>& pieces) {
    for (const Event& event : derived_.order.events()) {
      const bool in = event.kind == EventKind::Collective && event.comm == Comm::Gather,
                 out = event.kind == EventKind::Collective && event.comm == Comm::Scatter;
      if (!in && !out) continue;
      const Seconds time = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return model.transfer(event, replica).alone;
      });
      Seconds& most = in ? room_.gather : room_.scatter;
      most = std::max(most, time);
    }
    if (derived_.point_to_point != PointToPoint::Blocking) return;
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      if (derived_.stage(pieces[piece]).chunk + 1 < derived_.stage(pieces[piece]).chunks) continue;
      for (auto& encode : room_.encode)
        encode[piece] += room_.gather;  // the rank sends the input's output before its next pass
    }
  }

  // Returns the mean durations in one lane. The input's events take no time.
  Durations durations(const CostModels& models) {
    Durations times(derived_.order.event_count(), 1);
    for (std::uint32_t id = 0; id < times.events(); ++id) {
      const Event& event = derived_.order.event(EventId(id));
      if (is_of_input(event)) continue;
      times.at(EventId(id), 0) = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return event_seconds(model, event, replica);
      });
    }
    const Seconds longest = *std::ranges::max_element(times.flat());
    room_.least = std::max(longest * kLeast, Seconds(1e-15));
    for (std::uint32_t id = 0; id < times.events(); ++id)
      if (derived_.order.event(EventId(id)).computes())
        times.at(EventId(id), 0) = std::max(times.at(EventId(id), 0), room_.least);
    return times;
  }

  bool is_of_input(const Event& event) const {
    const bool transfers = event.kind == EventKind::Collective;
    const auto of_input = [&](StageId stage) { return derived_.is_input(stage); };
    return (event.computes() && of_input(event.stage)) ||
           (transfers && (of_input(event.stage) || of_input(event.peer_stage)));
  }

  // Notes when a microbatch enters the body, and when its gradient leaves it.
  void note_entry(EventId id, const Timeline& timeline) {
    const Event& event = derived_.order.event(id);
    const auto enters = [&](StageId stage) {
      return derived_.stage(stage).region.index() == derived_.inputs() && derived_.stage(stage).index == 0;
    };
    if (event.runs_forward() && enters(event.stage))
      room_.enters[event.microbatch.index()] = timeline.start.at(id, 0);
    const bool fused = event.kind == EventKind::ForwardBackward;
    const bool back = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput || fused;
    if (back && enters(fused ? event.peer_stage : event.stage))
      room_.leaves[(fused ? event.peer_microbatch : event.microbatch).index()] = timeline.end.at(id, 0);
  }

  // If transfers block, a rank is busy while it sends.
  void note_gaps(RankId rank, const Timeline& timeline, const CostModels& models) {
    const bool blocking = derived_.point_to_point == PointToPoint::Blocking;
    RankGaps& gaps = room_.gaps[rank.index()];
    Seconds free_from;
    std::optional<RankGap> host;  // empty for the last event of a body, since no pass can follow it there
    std::uint32_t position = 0;
    for (const EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      const bool sends = event.kind == EventKind::Collective && event.rank == rank;
      if (!event.computes() && !(blocking && sends)) continue;
      if (event.computes() && derived_.is_input(event.stage)) continue;
      if (event.computes()) {
        const Seconds start = timeline.start.at(id, 0), end = timeline.end.at(id, 0);
        if (host) gaps.add(*host);
        gaps.add({position, free_from, start});
        host = under(event, {position + 1, start, end}, models);
        ++position;
      }
      free_from = std::max(free_from, timeline.end.at(id, 0));
    }
  }

  // Returns the room under the communication of a pass, if the schedule asks for it and there is any.
  std::optional<RankGap> under(const Event& event, RankGap gap, const CostModels& models) const {
    if (!request_.schedule.input.under_communication) return std::nullopt;
    gap.host = event;
    gap.room = mean(models, [&](const CostModel& model, ReplicaId replica) {
      return model.inside(event, replica).collectives;
    });
    return gap.room > Seconds() ? std::optional(gap) : std::nullopt;
  }

  const OwnerRequest& request_;
  const Derived& derived_;
  BodyRoom room_;
};

// Returns the time of the pass in this gap, or empty if it does not fit. `taken` is the room of the gap's
// host that is already in use.
std::optional<GapUse> use_of(const RankGap& gap, std::size_t index, Seconds pass, Seconds ready,
                             Seconds taken) {
  if (gap.host) {
    if (ready > gap.from || pass + taken > gap.room) return std::nullopt;
    return GapUse{index, gap.from, gap.to};
  }
  const Seconds at = std::max(gap.from, ready);
  return at + pass <= gap.to ? std::optional(GapUse{index, at, at + pass}) : std::nullopt;
}

}  // namespace

BodyRoom body_room(const OwnerRequest& request, const Derived& derived) {
  return RoomFinder(request, derived).find();
}

std::vector<GapUse> RankGaps::fit(std::span<const Seconds> passes, Seconds ready,
                                  std::optional<Seconds> until) const {
  std::vector<GapUse> uses;
  std::size_t gap = 0;
  Seconds taken;  // room of this gap's host in use
  for (const Seconds pass : passes) {
    std::optional<GapUse> use;
    while (gap < gaps_.size() && !(use = use_of(gaps_[gap], gap, pass, ready, taken))) {
      ++gap;
      taken = {};
    }
    if (!use || (until && use->end > *until)) break;
    uses.push_back(*use);
    const bool hosted = gaps_[gap].host.has_value();
    taken = hosted ? taken + pass : Seconds();
    ready = hosted ? use->at : use->end;  // other passes may run under the same host
  }
  return uses;
}

void RankGaps::take(const GapUse& use, Seconds pass) {
  RankGap& gap = gaps_[use.gap];
  if (gap.host)
    gap.room -= pass;
  else
    gap.from = use.end;
}

void RankGaps::delay(Seconds later) {
  for (std::size_t gap = 0; gap < gaps_.size(); ++gap) {
    if (gap > 0) gaps_[gap].from += later;
    gaps_[gap].to += later;
  }
}

}  // namespace spillway
