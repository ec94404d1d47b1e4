#include "derive/body_times.h"

namespace spillway {
namespace {

StageExpectation by_layers(const Stage& stage) {
  const Seconds each(stage.layers.size());
  return {.forward = each, .input_gradient = each, .weight_gradient = each};
}

}  // namespace

BodyTimes::BodyTimes(const OrderParts& parts)
    : transfer_(parts.options.expected.transfer), stages_(parts.options.expected.stages) {
  ensure(stages_.empty() || stages_.size() == parts.stages.size(), "expectations cover the stages");
  if (!stages_.empty()) return;
  for (const Stage& stage : parts.stages) stages_.push_back(by_layers(stage));
}

Seconds BodyTimes::of(const Event& event) const {
  const StageExpectation& own = stages_[event.stage.index()];
  const StageExpectation& peer = stages_[event.peer_stage.index()];
  switch (event.kind) {
    case EventKind::Forward:
      return own.forward;
    case EventKind::Backward:
      return own.input_gradient + own.weight_gradient;
    case EventKind::BackwardInput:
      return own.input_gradient;
    case EventKind::BackwardWeight:
      return own.weight_gradient;
    case EventKind::ForwardBackward:
      return own.forward + peer.input_gradient + peer.weight_gradient;
    default:
      throw ContractBreach("a body has computing events");
  }
}

}  // namespace spillway
