#include "validate/copied_stages.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "traces/events/union_of_intervals.h"
#include "validate/copied_match.h"
#include "validate/copied_steps.h"

namespace spillway {
namespace {

// A pass that begins so soon after a message's arrival waited for it.
constexpr Seconds kAtOnce = microseconds(500);
// An end is the sum of a start and a duration, each of which the trace rounds.
constexpr Seconds kRounding = microseconds(0.001);

// Builds the order from the first step.
class OrderOfTrace {
 public:
  OrderOfTrace(const CopiedStep& step, std::uint32_t ranks, PointToPoint mode)
      : step_(step), builder_(ranks), mode_(mode), on_rank_(ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) add_passes(rank);
    for (const auto& [key, interval] : step.broadcasts) add_broadcast(key);
    for (const auto& [microbatch, path] : step.paths) follow(path.forward, path.backward);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) put_in_sequence(rank);
  }

  Order order() && {
    auto built = std::move(builder_).build();
    if (auto* order = std::get_if<Order>(&built)) return std::move(*order);
    throw InputError({{"", "/order of the trace", "passes that can run one after the other",
                       "passes that wait for each other in a circle"}});
  }
  std::size_t waits_for_others() const { return waits_for_others_; }

 private:
  struct OnRank {
    Seconds start;
    std::uint32_t event;
    bool computes;
  };

  Interval at(std::uint32_t event) const { return step_.interval(builder_.events()[event]); }

  void keep(std::uint32_t rank, std::uint32_t event, bool computes) {
    on_rank_[rank].push_back({step_.begun(builder_.events()[event]), event, computes});
  }

  void add_passes(std::uint32_t rank) {
    for (const Event& pass : step_.passes[rank]) {
      const std::uint32_t event = builder_.add(pass);
      forward_or_backward(pass, event);
      keep(rank, event, true);
    }
  }

  void forward_or_backward(const Event& pass, std::uint32_t event) {
    if (pass.kind == EventKind::BackwardWeight) return;
    const bool forward = pass.runs_forward();
    (forward ? forwards_ : backwards_)[{pass.stage, pass.microbatch}] = event;
    if (pass.kind == EventKind::ForwardBackward) backwards_[{pass.peer_stage, pass.peer_microbatch}] = event;
  }

  // The rank's later passes wait for its parameters.
  void add_broadcast(const CopiedStep::BroadcastKey& key) {
    const auto [rank, stage] = key;
    Event event{EventKind::Broadcast};
    event.group = Group::ReplicaGroup;
    event.stage = event.peer_stage = stage;
    event.rank = event.peer_rank = rank;
    const std::uint32_t broadcast = builder_.add(event);
    for (const OnRank& pass : on_rank_[rank.index()])
      if (pass.start >= at(broadcast).end) {
        builder_.edge(broadcast, pass.event, EdgeKind::Sequence);
        break;
      }
  }

  using Stages = std::vector<std::pair<StageId, MicrobatchId>>;

  void follow(const Stages& forward, const Stages& backward) {
    for (std::size_t i = 1; i < forward.size(); ++i)
      depend(forwards_.at(forward[i - 1]), forwards_.at(forward[i]), forward[i - 1], forward[i], Comm::Send);
    for (std::size_t i = 1; i < backward.size(); ++i)
      depend(backwards_.at(backward[i - 1]), backwards_.at(backward[i]), backward[i - 1], backward[i],
             Comm::RecvGrad);
    if (!backward.empty())
      builder_.edge(forwards_.at(forward.back()), backwards_.at(backward.front()), EdgeKind::Turnaround);
  }

  void depend(std::uint32_t from, std::uint32_t to, const Stages::value_type& from_stage,
              const Stages::value_type& to_stage, Comm comm) {
    const EdgeKind kind = comm == Comm::Send ? EdgeKind::Activation : EdgeKind::Gradient;
    const RankId sender = builder_.events()[from].rank, receiver = builder_.events()[to].rank;
    if (from == to) return;
    if (sender == receiver) return builder_.edge(from, to, kind);
    Event message{EventKind::Collective};
    message.comm = comm;
    message.stage = from_stage.first, message.peer_stage = to_stage.first;
    message.rank = sender, message.peer_rank = receiver;
    message.microbatch = from_stage.second;
    const std::uint32_t event = builder_.add(message);
    builder_.edge(from, event, kind);
    builder_.edge(event, to, kind);
    keep(sender.index(), event, false);
    arrivals_[receiver].push_back(event);
  }

  // Passes follow each other. A message follows what began before it, and is followed if it blocks. Of what
  // begins at once, a message is first: its rank started it before the next pass.
  void put_in_sequence(std::uint32_t rank) {
    auto& all = on_rank_[rank];
    std::stable_sort(all.begin(), all.end(), [](const OnRank& a, const OnRank& b) {
      return std::pair(a.start, a.computes) < std::pair(b.start, b.computes);
    });
    const OnRank* last = nullptr;
    for (const OnRank& one : all) {
      if (last) builder_.edge(last->event, one.event, EdgeKind::Sequence);
      if (one.computes) wait_for_others(RankId(rank), one, last);
      if (one.computes || mode_ == PointToPoint::Blocking) last = &one;
    }
  }

  void wait_for_others(RankId rank, const OnRank& pass, const OnRank* before) {
    const Seconds idle_since = before ? at(before->event).end : Seconds(-1e300);
    if (pass.start - idle_since < kAtOnce) return;
    const std::uint32_t* latest = nullptr;
    for (const std::uint32_t& message : arrivals_[rank])
      if (at(message).end <= pass.start + kRounding && (!latest || at(message).end > at(*latest).end))
        latest = &message;
    if (!latest || pass.start - at(*latest).end > kAtOnce || is_for(*latest, pass.event)) return;
    builder_.edge(*latest, pass.event, EdgeKind::Sequence);
    ++waits_for_others_;
  }

  bool is_for(std::uint32_t message, std::uint32_t pass) const {
    const Event& sent = builder_.events()[message];
    const auto& taken = sent.comm == Comm::Send ? forwards_ : backwards_;
    return taken.at({sent.peer_stage, sent.microbatch}) == pass;
  }

  const CopiedStep& step_;
  OrderBuilder builder_;
  PointToPoint mode_;
  std::vector<std::vector<OnRank>> on_rank_;
  std::map<std::pair<StageId, MicrobatchId>, std::uint32_t> forwards_, backwards_;
  std::map<RankId, std::vector<std::uint32_t>> arrivals_;  // messages by receiver
  std::size_t waits_for_others_ = 0;
};

Outline outline_of(const CopiedSteps& steps, PointToPoint mode) {
  Outline outline = derive_outline(Model({{"model", Role::Backbone, steps.stages, true}}),
                                   Schedule{{SkeletonKind::OneFOneB}}, {}, {.pipeline = {1, 1}});
  outline.pipeline = {steps.ranks, steps.microbatches};
  outline.point_to_point = mode;
  outline.stages.clear();
  for (std::uint32_t stage = 0; stage < steps.stages; ++stage)
    outline.stages.push_back({RegionId(0), steps.stage_rank[stage], stage, {stage, stage + 1}});
  return outline;
}

MeasuredTimes times_of(const Order& order, const std::vector<CopiedStep>& steps) {
  const auto lanes = static_cast<std::uint32_t>(steps.size());
  MeasuredTimes times{
      {PerEvent<Seconds>(order.event_count(), lanes), PerEvent<Seconds>(order.event_count(), lanes)},
      Seconds(),
      {}};
  std::vector<Seconds> transfers;
  for (std::uint32_t id = 0; id < order.event_count(); ++id)
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const Interval interval = steps[lane].interval(order.event(EventId(id)));
      times.timeline.start.at(EventId(id), lane) = interval.start;
      times.timeline.end.at(EventId(id), lane) = interval.end;
      if (order.event(EventId(id)).transfers()) transfers.push_back(interval.length());
    }
  std::sort(transfers.begin(), transfers.end());
  if (!transfers.empty()) times.transfer = transfers[transfers.size() / 2];
  return times;
}

TransferMode mode_of(const std::vector<CopiedStep>& steps) {
  TransferMode mode{PointToPoint::Overlapped, 0, 0, {}};
  Seconds sending, computing;
  for (const CopiedStep& step : steps)
    for (std::size_t rank = 0; rank < step.passes.size(); ++rank) {
      std::vector<Interval> busy;
      for (const Event& pass : step.passes[rank]) busy.push_back(step.interval(pass));
      busy = union_of(std::move(busy));
      for (const Interval& sent : step.sends[rank]) {
        ++mode.sends;
        sending += sent.length();
        computing += covered(busy, sent);
      }
    }
  if (sending > Seconds()) mode.computing_share = computing / sending;
  if (mode.sends > 0 && mode.computing_share <= kLeastOverlap) mode.point_to_point = PointToPoint::Blocking;
  return mode;
}

}  // namespace

CopiedStages copied_stages(const Trace& trace, PointToPoint mode) {
  CopiedSteps read = copied_steps(trace);
  OrderOfTrace order(read.steps.front(), read.ranks, mode);
  std::vector<Note> notes = std::move(read.notes);
  if (order.waits_for_others() > 0)
    notes.push_back({NoteKind::Guessed, order.waits_for_others(),
                     "passes beginning when a message for another pass arrives, as if waiting for it"});
  auto derived = std::make_shared<const Derived>(Derived{outline_of(read, mode), std::move(order).order()});
  MeasuredTimes times = times_of(derived->order, read.steps);
  std::vector<MeasuredStep> steps;
  for (const CopiedStep& step : read.steps)
    steps.push_back({step.step, step.replica, {}, {}, {}, step.collectives, {}});
  return {read.ranks,         read.stages,         read.microbatches,
          read.replicas,      mode_of(read.steps), match_copies(trace, read),
          std::move(derived), std::move(times),    std::move(steps),
          std::move(notes)};
}

CopiedStages copied_stages(const Trace& trace) {
  return copied_stages(trace, mode_of(copied_steps(trace).steps).point_to_point);
}

}  // namespace spillway
