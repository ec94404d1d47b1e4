// The dependencies between events that do not come from the ranks' sequences (paper section 3.1). Private to
// src/derive.
#pragma once

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include "derive/assemble.h"
#include "derive/compute_events.h"

namespace spillway {

// Pairs of computing events: the second needs the first, through a transfer, through a loss or directly.
using Waits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Adds the transfers, the losses and the data edges, microbatch by microbatch.
class Dependencies {
 public:
  // Contract: `builder` holds the `events` of `parts` and nothing else.
  Dependencies(const OrderParts& parts, const ComputeEvents& events, OrderBuilder& builder);

  // The transfer of a computing event's output; kNoEvent if it passes none on.
  std::uint32_t sent_forward(std::uint32_t event) const { return sent_forward_[event]; }
  // The transfers of its gradients: one to each input if several join where it runs.
  auto sent_backward(std::uint32_t event) const {
    const auto [first, end] = sent_backward_[event];
    return std::views::iota(first, end);
  }
  // The transfer that brings the gradient to a backward of an input.
  std::uint32_t gradient_of(std::uint32_t backward) const;
  // Losses that no backward follows, and transfers for the next step.
  const std::vector<std::uint32_t>& open_ends() const { return open_ends_; }
  // Empty if formula_suffices, because only list scheduling asks for them.
  const Waits& waits() const { return waits_; }

 private:
  void connect_forward(std::uint32_t m);
  void connect_loss(std::uint32_t m);
  void connect_backward(std::uint32_t m);
  void connect_halves(std::uint32_t m);
  void keep_encoder_state(std::uint32_t m);
  void send_forward(Comm comm, StageId from, StageId to, std::uint32_t m);
  void send_backward(Comm comm, StageId from, StageId to, std::uint32_t m);
  void send_to_upstream(std::size_t region, std::uint32_t m);
  std::uint32_t transfer(Comm comm, std::uint32_t sender, StageId from, std::uint32_t receiver, StageId to,
                         std::uint32_t m);
  void wait(std::uint32_t from, std::uint32_t to);
  StageId entry(std::size_t region, std::uint32_t m) const { return parts_.paths.of(region, m).front(); }
  StageId exit(std::size_t region, std::uint32_t m) const { return parts_.paths.of(region, m).back(); }

  const OrderParts& parts_;
  const ComputeEvents& events_;
  OrderBuilder& builder_;
  bool keeps_waits_;
  struct Ids {
    std::uint32_t first, end;
  };
  std::vector<std::uint32_t> sent_forward_;  // by computing event
  std::vector<Ids> sent_backward_;           // by computing event; consecutive
  std::vector<std::uint32_t> open_ends_;
  Waits waits_;
};

}  // namespace spillway
