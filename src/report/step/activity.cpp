#include "report/step/activity.h"

namespace spillway {
namespace {

bool holds_encoder_alone(const Model& model, LayerRange layers) {
  for (std::size_t block = 0; block < model.blocks().size(); ++block)
    if (model.blocks()[block].role != Role::Encoder && model.part_of(block, layers).size() > 0) return false;
  return true;
}

}  // namespace

std::string_view to_string(Activity activity) {
  switch (activity) {
    case Activity::EncoderForward:
      return "encoder forward";
    case Activity::EncoderBackward:
      return "encoder backward";
    case Activity::Forward:
      return "forward";
    case Activity::Backward:
      return "backward";
    case Activity::WeightGradient:
      return "weight gradient";
    case Activity::Overlapped:
      return "forward and backward together";
    case Activity::Transfer:
      return "transfer";
    case Activity::Reduce:
      return "reduce";
    case Activity::Broadcast:
      return "broadcast";
    case Activity::Bookkeeping:
      return "bookkeeping";
  }
  throw ContractBreach("unknown activity");
}

Activity activity_of(const Outline& derived, const Event& event) {
  const auto encodes = [&] { return holds_encoder_alone(derived.model, derived.stage(event.stage).layers); };
  switch (event.kind) {
    case EventKind::ForwardBackward:
      return Activity::Overlapped;
    case EventKind::Forward:
      return encodes() ? Activity::EncoderForward : Activity::Forward;
    case EventKind::Backward:
    case EventKind::BackwardInput:
      return encodes() ? Activity::EncoderBackward : Activity::Backward;
    case EventKind::BackwardWeight:
      return encodes() ? Activity::EncoderBackward : Activity::WeightGradient;
    case EventKind::Collective:
      return Activity::Transfer;
    case EventKind::DpReduce:
      return Activity::Reduce;
    case EventKind::Broadcast:
      return Activity::Broadcast;
    case EventKind::Loss:
    case EventKind::StepBarrier:
      return Activity::Bookkeeping;
  }
  throw ContractBreach("unknown event kind");
}

}  // namespace spillway
