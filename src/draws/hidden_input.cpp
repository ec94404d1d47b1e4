#include "draws/hidden_input.h"

#include <algorithm>

namespace spillway {
namespace {

auto key_of(const Event& host) {
  return std::tuple(host.kind, host.stage.index(), host.microbatch.index());
}

auto key_of(StageId stage, MicrobatchId microbatch, bool backward) {
  return std::tuple(stage.index(), microbatch.index(), backward);
}

}  // namespace

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

// What is hidden varies with its host.
bool HiddenInput::uniform(const Event& event) const {
  const bool of_input = event.computes() && outline_.stage(event.stage).region.index() == 0;
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

}  // namespace spillway
