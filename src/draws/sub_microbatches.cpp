#include "draws/sub_microbatches.h"

#include <tuple>
#include <utility>

#include "model/model.h"

namespace spillway {

SubMicrobatches::SubMicrobatches(std::unique_ptr<Outline> coarse, std::unique_ptr<CostModel> whole,
                                 std::uint32_t parts)
    : CostsOver(std::move(whole)), coarse_(std::move(coarse)), parts_(parts) {
  for (const Stage& stage : coarse_->stages)
    encodes_.push_back(stage.layers.end <= leading_encoder_layers(coarse_->model));
}

double SubMicrobatches::share(StageId stage, MicrobatchId part, bool backward) const {
  if (encodes(stage)) return 1.0 / parts_;
  return part.index() % parts_ == (backward ? 0 : parts_ - 1) ? 1 : 0;
}

// Between an encoder's stages, and behind them, each part moves by itself.
double SubMicrobatches::share(const Event& event) const {
  if (event.computes()) return share(event.stage, event.microbatch, event.kind != EventKind::Forward);
  return in_parts(event) ? 1.0 / parts_ : share(event.stage, event.microbatch, event.comm == Comm::RecvGrad);
}

Event SubMicrobatches::whole(Event event) const {
  event.microbatch = MicrobatchId(event.microbatch.index() / parts_);
  event.peer_microbatch = MicrobatchId(event.peer_microbatch.index() / parts_);
  return event;
}

Seconds SubMicrobatches::pass(Pass pass, StageId stage, MicrobatchId part, ReplicaId replica) const {
  const double of_all = share(stage, part, pass != Pass::Forward);
  if (of_all == 0) return {};
  return under().pass(pass, stage, MicrobatchId(part.index() / parts_), replica) * of_all;
}

Seconds SubMicrobatches::overlapped(const Event& event, ReplicaId replica) const {
  return pass(Pass::Forward, event.stage, event.microbatch, replica) +
         pass(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
}

Transfer SubMicrobatches::transfer(const Event& event, ReplicaId replica) const {
  if (event.kind != EventKind::Collective) return under().transfer(event, replica);
  const double of_all = share(event);
  if (of_all == 0) return {};
  const Transfer all = under().transfer(whole(event), replica);
  return {all.payload > Bytes() ? all.alone * of_all : all.alone, all.payload * of_all};
}

MessageSize SubMicrobatches::message(const Event& event, ReplicaId replica) const {
  const MessageSize all = under().message(whole(event), replica);
  return {all.bytes ? std::optional(*all.bytes * share(event)) : std::nullopt};
}

bool SubMicrobatches::uniform(const Event& event) const {
  if (event.kind == EventKind::ForwardBackward) return false;
  const bool whole =
      event.computes() ? !encodes(event.stage) : event.kind == EventKind::Collective && !in_parts(event);
  return !whole && under().uniform(event);
}

StageId SubMicrobatches::like(StageId stage) const {
  const StageId first = under().like(stage);
  return encodes(first) == encodes(stage) ? first : stage;
}

bool SubMicrobatches::same_transfers(const Event& a, const Event& b) const {
  const auto moved = [&](const Event& event) {
    return std::tuple(event.kind == EventKind::Collective, in_parts(event), event.comm == Comm::RecvGrad);
  };
  return moved(a) == moved(b) && under().same_transfers(a, b);
}

Held SubMicrobatches::held(StageId stage, MicrobatchId part, ReplicaId replica) const {
  Held all = under().held(stage, MicrobatchId(part.index() / parts_), replica);
  const double kept = share(stage, part, false), backward = share(stage, part, true);
  for (Bytes* bytes : {&all.activations, &all.for_weight_gradient, &all.forward_workspace})
    *bytes = *bytes * kept;
  for (Bytes* bytes : {&all.recomputed, &all.backward_workspace}) *bytes = *bytes * backward;
  return all;
}

Bytes SubMicrobatches::received(const Event& event, ReplicaId replica) const {
  return under().received(whole(event), replica) * share(event);
}

std::vector<SlabCollective> SubMicrobatches::collectives(const Event& event, ReplicaId replica) const {
  const double of_all = event.computes() ? share(event) : 0;
  if (of_all == 0) return {};
  std::vector<SlabCollective> all = under().collectives(whole(event), replica);
  for (SlabCollective& one : all) one.bytes = one.bytes * of_all;
  return all;
}

InsidePass SubMicrobatches::inside(const Event& event, ReplicaId replica) const {
  const double of_all = event.computes() ? share(event) : 0;
  if (of_all == 0) return {};
  const InsidePass all = under().inside(whole(event), replica);
  return {all.collectives * of_all, all.recomputed * of_all};
}

}  // namespace spillway
