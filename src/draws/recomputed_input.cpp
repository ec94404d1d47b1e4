#include "draws/recomputed_input.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace spillway {
namespace {

Event forward_of(Event backward) {
  backward.kind = EventKind::Forward;
  return backward;
}

}  // namespace

bool RecomputedInput::recomputes(const Event& event) const {
  return event.kind == EventKind::Backward && is_input(event.stage);
}

Seconds RecomputedInput::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  const Seconds own = under().pass(pass, stage, microbatch, replica);
  if (pass != Pass::Backward || !is_input(stage)) return own;
  const Event backward{.kind = EventKind::Backward, .stage = stage, .microbatch = microbatch};
  return own + computed_again(backward, replica);
}

// Of the forward, what the backward does not compute again by itself.
Seconds RecomputedInput::computed_again(const Event& backward, ReplicaId replica) const {
  const Seconds forward = under().pass(Pass::Forward, backward.stage, backward.microbatch, replica);
  return std::max(Seconds(), forward - under().inside(backward, replica).recomputed);
}

bool RecomputedInput::uniform(const Event& event) const {
  return under().uniform(event) && (!recomputes(event) || under().uniform(forward_of(event)));
}

Held RecomputedInput::held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  Held held = under().held(stage, microbatch, replica);
  if (!is_input(stage)) return held;
  held.recomputed += held.activations;
  held.activations = {};
  held.backward_workspace = std::max(held.backward_workspace, held.forward_workspace);
  return held;
}

std::vector<SlabCollective> RecomputedInput::collectives(const Event& event, ReplicaId replica) const {
  std::vector<SlabCollective> all;
  if (recomputes(event)) all = under().collectives(forward_of(event), replica);
  std::ranges::move(under().collectives(event, replica), std::back_inserter(all));
  return all;
}

InsidePass RecomputedInput::inside(const Event& event, ReplicaId replica) const {
  InsidePass inside = under().inside(event, replica);
  if (!recomputes(event)) return inside;
  const InsidePass again = under().inside(forward_of(event), replica);
  const Seconds added = computed_again(event, replica), met = std::min(again.collectives, added);
  inside.collectives += met;
  inside.recomputed += added - met;
  return inside;
}

std::vector<PricedOperator> RecomputedInput::priced_operators(const Order& order) const {
  std::vector<PricedOperator> all = under().priced_operators(order);
  OrderBuilder builder(outline_.pipeline.ranks);
  Seconds whole, again;
  for (const Event& event : order.events()) {
    if (!recomputes(event)) continue;
    builder.add(forward_of(event));
    for (std::uint32_t replica = 0; replica < outline_.pipeline.replicas; ++replica) {
      whole += under().pass(Pass::Forward, event.stage, event.microbatch, ReplicaId(replica));
      again += computed_again(event, ReplicaId(replica));
    }
  }
  if (again == Seconds()) return all;
  const auto forwards = std::move(builder).build();
  for (PricedOperator& one : under().priced_operators(std::get<Order>(forwards)))
    all.push_back({one.name + ", recomputed", one.shape, one.evidence, one.time * (again / whole)});
  return all;
}

}  // namespace spillway
