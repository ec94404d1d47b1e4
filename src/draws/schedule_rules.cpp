#include "draws/schedule_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cost/costs_over.h"
#include "draws/regrouped_draws.h"
#include "model/model.h"

namespace spillway {
namespace {

// The first stage behind the encoder waits for the exchange in its forward. If the encoder is trained, it
// also waits in its backward, which sends gradients back along the same paths. Replicas are assumed to reach
// the exchange together: each pays for its own part and none waits for another. All other costs stay.
class ExchangedSamples final : public CostsOver {
 public:
  // Views `outline`, which outlives it. Contract: the exchange is of the outline's replicas and microbatches.
  ExchangedSamples(std::unique_ptr<CostModel> at_home, const Outline& outline, SampleExchange exchange);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  Seconds exchanged(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;
  Seconds exchanged(const Event& event, ReplicaId replica) const;

  std::vector<bool> behind_;  // by stage
  bool gradients_;
  SampleExchange exchange_;
};

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

// A backward of a transposed input also takes the time of its forward, less what it recomputes anyway. It
// holds the memory that is otherwise held from the forward on. Collectives inside the forward run again, too.
// All other costs stay.
class RecomputedInput final : public CostsOver {
 public:
  // Views `outline`, which outlives it. Contract: outline.input.recomputed.
  RecomputedInput(std::unique_ptr<CostModel> kept, const Outline& outline)
      : CostsOver(std::move(kept)), outline_(outline) {}

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  // Lists the operators of the forwards once more, each in proportion to the recomputed share of the
  // forwards.
  std::vector<PricedOperator> priced_operators(const Order& order) const override;

 private:
  bool recomputes(const Event& event) const;
  Seconds computed_again(const Event& backward, ReplicaId replica) const;
  bool is_input(StageId stage) const { return outline_.is_input(stage); }

  const Outline& outline_;
};

Event forward_of(Event backward) {
  backward.kind = EventKind::Forward;
  return backward;
}

bool RecomputedInput::recomputes(const Event& event) const {
  return event.kind == EventKind::Backward && is_input(event.stage);
}

Seconds RecomputedInput::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  const Seconds own = under().pass(pass, stage, microbatch, replica);
  if (pass != Pass::Backward || !is_input(stage)) return own;
  const Event backward{.kind = EventKind::Backward, .stage = stage, .microbatch = microbatch};
  return own + computed_again(backward, replica);
}

// Returns the part of the forward that the backward does not recompute by itself.
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

// A hidden pass takes the time that does not fit under the exposed collectives of its host. If several passes
// share a host, they take its room in their order. The host's time stays the same: it includes what is
// computed while the host communicates. All other costs stay.
class HiddenInput final : public CostsOver {
 public:
  // Views `outline`, which outlives it.
  HiddenInput(std::unique_ptr<CostModel> alone, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  // A hidden pass has no collectives. Its own are part of the host's time if it is fully hidden, else of the
  // time that is left.
  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  // Hidden passes under one host, as indices into outline.hidden.
  using Guests = std::vector<std::size_t>;

  const HiddenPass& hidden(std::size_t index) const { return outline_.hidden[index]; }
  // Returns the guests of the host that hides the pass, or null if the pass is not hidden.
  const Guests* hosted(Pass pass, StageId stage, MicrobatchId microbatch) const;
  Seconds by_itself(const HiddenPass& hidden, ReplicaId replica) const;

  const Outline& outline_;
  std::vector<Guests> hosts_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t>
      host_of_;  // by stage, microbatch, backward
};

auto key_of(const Event& host) {
  return std::tuple(host.kind, host.stage.index(), host.microbatch.index());
}

auto key_of(StageId stage, MicrobatchId microbatch, bool backward) {
  return std::tuple(stage.index(), microbatch.index(), backward);
}

HiddenInput::HiddenInput(std::unique_ptr<CostModel> alone, const Outline& outline)
    : CostsOver(std::move(alone)), outline_(outline) {
  std::map<decltype(key_of(Event())), std::size_t> known;
  for (std::size_t index = 0; index < outline.hidden.size(); ++index) {
    const HiddenPass& pass = outline.hidden[index];
    const auto [host, fresh] = known.try_emplace(key_of(pass.host), hosts_.size());
    if (fresh) hosts_.emplace_back();
    hosts_[host->second].push_back(index);
    host_of_[key_of(pass.stage, pass.microbatch, pass.backward)] = host->second;
  }
}

const HiddenInput::Guests* HiddenInput::hosted(Pass pass, StageId stage, MicrobatchId microbatch) const {
  const auto found = host_of_.find(key_of(stage, microbatch, pass != Pass::Forward));
  return found == host_of_.end() ? nullptr : &hosts_[found->second];
}

Seconds HiddenInput::by_itself(const HiddenPass& pass, ReplicaId replica) const {
  return under().pass(pass.backward ? Pass::Backward : Pass::Forward, pass.stage, pass.microbatch, replica);
}

Seconds HiddenInput::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  const Guests* guests = hosted(pass, stage, microbatch);
  if (!guests) return under().pass(pass, stage, microbatch, replica);
  Seconds room = under().inside(hidden(guests->front()).host, replica).collectives;
  for (const std::size_t index : *guests) {
    const HiddenPass& guest = hidden(index);
    const Seconds takes = by_itself(guest, replica), fits = std::min(takes, room);
    if (guest.stage == stage && guest.microbatch == microbatch && guest.backward == (pass != Pass::Forward))
      return takes - fits;
    room -= fits;
  }
  throw ContractBreach("a hidden pass is a guest of its host");
}

// The hidden part of a pass depends on its host.
bool HiddenInput::uniform(const Event& event) const {
  const bool of_input = event.computes() && outline_.is_input(event.stage);
  return !of_input && under().uniform(event);
}

std::vector<SlabCollective> HiddenInput::collectives(const Event& event, ReplicaId replica) const {
  const Pass pass = event.kind == EventKind::Forward ? Pass::Forward : Pass::Backward;
  if (event.computes() && hosted(pass, event.stage, event.microbatch)) return {};
  return under().collectives(event, replica);
}

InsidePass HiddenInput::inside(const Event& event, ReplicaId replica) const {
  const Pass pass = event.kind == EventKind::Forward ? Pass::Forward : Pass::Backward;
  if (event.computes() && hosted(pass, event.stage, event.microbatch)) return {};
  return under().inside(event, replica);
}

}  // namespace

std::unique_ptr<CostModel> with_schedule_rules(std::unique_ptr<CostModel> costs, const Outline& outline,
                                               SampleExchange exchange) {
  if (!exchange.time.empty())
    costs = std::make_unique<ExchangedSamples>(std::move(costs), outline, std::move(exchange));
  if (outline.input.recomputed) costs = std::make_unique<RecomputedInput>(std::move(costs), outline);
  if (!outline.hidden.empty()) costs = std::make_unique<HiddenInput>(std::move(costs), outline);
  return costs;
}

}  // namespace spillway
