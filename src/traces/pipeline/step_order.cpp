#include "traces/pipeline/step_order.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

Action action_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::Forward:
      return Action::Forward;
    case TraceKind::Backward:
      return Action::Backward;
    case TraceKind::BackwardInput:
      return Action::BackwardInput;
    case TraceKind::BackwardWeight:
      return Action::BackwardWeight;
    default:
      throw ContractBreach("a computing event");
  }
}

bool run_together(const TraceEvent& a, const TraceEvent& b) {
  const bool both = (a.kind == TraceKind::Forward && b.kind == TraceKind::Backward) ||
                    (a.kind == TraceKind::Backward && b.kind == TraceKind::Forward);
  const Seconds shared = std::min(a.end(), b.end()) - std::max(a.start, b.start);
  return both && shared > 0.5 * std::min(a.duration, b.duration);
}

Slot together(const Slot& a, const Slot& b) {
  const Slot& forward = a.action == Action::Forward ? a : b;
  const Slot& backward = a.action == Action::Forward ? b : a;
  return {Action::ForwardBackward, forward.chunk, forward.microbatch, backward.chunk, backward.microbatch};
}

}  // namespace

std::vector<RankOrder> step_order(const StepSlice& slice, const PipelineShape& shape) {
  std::vector<RankOrder> orders(shape.ranks);
  const TraceEvent* last = nullptr;  // the rank's pass before, unless it is half of a pair already
  for (const TraceEvent& event : slice.events) {
    if (!is_compute(event.kind) || event.microbatch == kUnknown) continue;
    RankOrder& order = orders[event.rank];
    const Slot slot{action_of(event.kind), shape.stage_chunk[event.stage], MicrobatchId(event.microbatch)};
    if (last != nullptr && last->rank == event.rank && run_together(*last, event)) {
      order.back() = together(order.back(), slot);
      last = nullptr;
    } else {
      order.push_back(slot);
      last = &event;
    }
  }
  return orders;
}

CommonOrder common_order(const std::vector<MeasuredStep>& steps) {
  struct Counted {
    const std::vector<RankOrder>* orders;
    std::size_t steps;
  };
  std::vector<Counted> distinct;
  for (const MeasuredStep& step : steps) {
    const auto same = std::find_if(distinct.begin(), distinct.end(),
                                   [&](const Counted& counted) { return *counted.orders == step.order; });
    if (same == distinct.end())
      distinct.push_back({&step.order, 1});
    else
      ++same->steps;
  }
  const auto most = std::max_element(distinct.begin(), distinct.end(),
                                     [](const Counted& a, const Counted& b) { return a.steps < b.steps; });
  return {*most->orders, steps.size() - most->steps};
}

}  // namespace spillway
