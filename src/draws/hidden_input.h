// Passes of a transposed input that compute while a pass of the pipeline communicates.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "cost/costs_over.h"

namespace spillway {

// A hidden pass takes what its host's exposed collectives leave no room for: where several share a host, in
// their order, each what is left by those before it. The host takes what it took; what is computed while it
// communicates is part of its time and of no other. Nothing else changes.
class HiddenInput final : public CostsOver {
 public:
  // Views `outline`, which outlives it.
  HiddenInput(std::unique_ptr<CostModel> alone, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  // Of a hidden pass none: its own are part of the host's time where it is hidden whole, else of what is
  // left.
  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  // Hidden passes under one host, by their places in outline.hidden.
  using Guests = std::vector<std::size_t>;

  const HiddenPass& hidden(std::size_t index) const { return outline_.hidden[index]; }
  // Where the pass is hidden, and its place there; null where it is not.
  const Guests* hosted(Pass pass, StageId stage, MicrobatchId microbatch) const;
  Seconds by_itself(const HiddenPass& hidden, ReplicaId replica) const;

  const Outline& outline_;
  std::vector<Guests> hosts_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t>
      host_of_;  // stage, microbatch, backward
};

}  // namespace spillway
