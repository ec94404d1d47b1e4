#include "draws/exchanged_samples.h"

#include <utility>

#include "model/model.h"

namespace spillway {

ExchangedSamples::ExchangedSamples(std::unique_ptr<CostModel> at_home, const Outline& outline,
                                   SampleExchange exchange)
    : CostsOver(std::move(at_home)),
      behind_(outline.stages.size()),
      gradients_(outline.model.trainable({0, leading_encoder_layers(outline.model)})),
      exchange_(std::move(exchange)) {
  for (const StageId stage : stages_behind_encoder(outline)) behind_[stage.index()] = true;
}

Seconds ExchangedSamples::exchanged(Pass pass, StageId stage, MicrobatchId microbatch,
                                    ReplicaId replica) const {
  const bool gradient = pass == Pass::Backward || pass == Pass::InputGradient;
  if (!behind_[stage.index()] || (pass != Pass::Forward && !(gradient && gradients_))) return {};
  return exchange_.time[replica.index()][microbatch.index()];
}

Seconds ExchangedSamples::exchanged(const Event& event, ReplicaId replica) const {
  if (!event.computes()) return {};
  if (event.kind != EventKind::ForwardBackward)
    return exchanged(pass_of(event.kind), event.stage, event.microbatch, replica);
  return exchanged(Pass::Forward, event.stage, event.microbatch, replica) +
         exchanged(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
}

Seconds ExchangedSamples::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  return under().pass(pass, stage, microbatch, replica) + exchanged(pass, stage, microbatch, replica);
}

Seconds ExchangedSamples::overlapped(const Event& event, ReplicaId replica) const {
  return under().overlapped(event, replica) + exchanged(event, replica);
}

bool ExchangedSamples::uniform(const Event& event) const {
  const auto touches = [&](StageId stage) { return event.computes() && behind_[stage.index()]; };
  return !touches(event.stage) && !touches(event.peer_stage) && under().uniform(event);
}

InsidePass ExchangedSamples::inside(const Event& event, ReplicaId replica) const {
  InsidePass inside = under().inside(event, replica);
  inside.collectives += exchanged(event, replica);
  return inside;
}

}  // namespace spillway
