// Finds the times of an order's events in a trace: passes first, then transfers with both sides, then the
// other transfers, then bookkeeping.
#include <algorithm>
#include <limits>
#include <utility>

#include "traces/pipeline/stage_work.h"
#include "validate/replay.h"

namespace spillway {
namespace {

class TraceLayout {
 public:
  TraceLayout(const MeasuredPipeline& pipeline, const Derived& derived)
      : pipeline_(pipeline),
        order_(derived.order),
        times_{{PerEvent<Seconds>(order_.event_count(), lanes()),
                PerEvent<Seconds>(order_.event_count(), lanes())},
               Seconds(),
               {}} {}

  MeasuredTimes run() && {
    for (std::uint32_t id = 0; id < order_.event_count(); ++id) {
      if (order_.event(EventId(id)).computes()) lay_compute(EventId(id));
    }
    for (std::uint32_t id = 0; id < order_.event_count(); ++id) {
      if (order_.event(EventId(id)).transfers()) lay_transfer(EventId(id));
    }
    guess();
    for (std::uint32_t id = 0; id < order_.event_count(); ++id) {
      const Event& event = order_.event(EventId(id));
      if (!event.computes() && !event.transfers()) lay_bookkeeping(EventId(id));
    }
    return std::move(times_);
  }

 private:
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(pipeline_.steps.size()); }

  void lay(EventId id, std::uint32_t lane, Interval interval) {
    times_.timeline.start.at(id, lane) = interval.start;
    times_.timeline.end.at(id, lane) = interval.end;
  }

  void lay_compute(EventId id) {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane)
      lay(id, lane, compute(order_.event(id), pipeline_.steps[lane]));
  }

  static Interval compute(const Event& event, const MeasuredStep& step) {
    const MeasuredPasses& own = step.passes[event.stage.index()][event.microbatch.index()];
    switch (event.kind) {
      case EventKind::Forward:
        return own.forward;
      case EventKind::BackwardWeight:
        ensure(own.weight.has_value(), "a split backward has both halves");
        return *own.weight;
      case EventKind::ForwardBackward: {
        const auto& peer = step.passes[event.peer_stage.index()][event.peer_microbatch.index()].backward;
        return {std::min(own.forward.start, peer.start), std::max(own.forward.end, peer.end)};
      }
      default:
        return own.backward;
    }
  }

  const MeasuredTransfer& transfer(const Event& event, const MeasuredStep& step) const {
    const bool forward = event.comm == Comm::Send;
    const auto& all = forward ? step.activations : step.gradients;
    // A gradient is stored under the stage that receives it.
    return all[(forward ? event.stage : event.peer_stage).index()][event.microbatch.index()];
  }

  void lay_transfer(EventId id) {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
      const MeasuredTransfer& sides = transfer(order_.event(id), pipeline_.steps[lane]);
      if (!sides.sent || !sides.received) {
        unknown_.push_back({id, lane});
        continue;
      }
      const Interval shorter =
          sides.sent->length() < sides.received->length() ? *sides.sent : *sides.received;
      lay(id, lane, shorter);
    }
  }

  void guess() {
    const std::optional<Seconds> median = median_transfer(pipeline_);
    times_.transfer = median ? *median : least_lag();
    for (const auto& [id, lane] : unknown_) {
      const Seconds start = sender_end(id, lane);
      lay(id, lane, {start, start + times_.transfer});
    }
    if (unknown_.empty()) return;
    times_.notes.push_back(
        {NoteKind::Guessed, unknown_.size(),
         !median ? "transfers without both sides in the trace: each takes the smallest lag between a pass "
                   "and the next rank's"
                 : "transfers without both sides in the trace: each takes the median of the others"});
  }

  Seconds sender_end(EventId id, std::uint32_t lane) const {
    return times_.timeline.end.at(EventId(order_.predecessors(id).front()), lane);
  }

  // The lag is at least 0, even if clocks are off.
  Seconds least_lag() const {
    Seconds least(unknown_.empty() ? 0 : std::numeric_limits<double>::max());
    for (const auto& [id, lane] : unknown_) {
      for (std::uint32_t after : order_.successors(id)) {
        if (!receives(EventId(after), id)) continue;
        least = std::min(least, times_.timeline.start.at(EventId(after), lane) - sender_end(id, lane));
      }
    }
    return std::max(Seconds(), least);
  }

  bool receives(EventId after, EventId transfer) const {
    const Event& event = order_.event(after);
    return event.computes() && event.rank == order_.event(transfer).peer_rank;
  }

  // Bookkeeping takes no time. It happens when its predecessors have ended.
  void lay_bookkeeping(EventId id) {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
      Seconds ready(std::numeric_limits<double>::lowest());
      for (std::uint32_t before : order_.predecessors(id))
        ready = std::max(ready, times_.timeline.end.at(EventId(before), lane));
      lay(id, lane, {ready, ready});
    }
  }

  const MeasuredPipeline& pipeline_;
  const Order& order_;
  MeasuredTimes times_;
  std::vector<std::pair<EventId, std::uint32_t>> unknown_;  // with their lanes
};

}  // namespace

MeasuredTimes measured_times(const MeasuredPipeline& pipeline, const Derived& derived) {
  return TraceLayout(pipeline, derived).run();
}

}  // namespace spillway
