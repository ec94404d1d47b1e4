// The passes of a step and what they need, without the order in which ranks take them. A search asks for the
// step of many orders of ranks.
//
// A derived order has two kinds of edges: a rank takes its passes one after the other, and events need the
// outputs of others. The graph keeps the second kind. Together with any sequences of the ranks' passes it is
// an order again, whose longest path is the step. One pass over the events serves all lanes (replicas of all
// draws), as in timing/longest_path.h. Test: tests/synthesize/pass_graph_test.cpp, against derived orders.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

inline constexpr std::uint32_t kNoPass = std::numeric_limits<std::uint32_t>::max();

// By rank: its passes (computing events, by their numbers in the derived order), first to last.
using PassSequences = std::vector<std::vector<std::uint32_t>>;

// Returns the sequences of a derived order.
PassSequences sequences_of(const Order& order);

// The ends of all events under some sequences.
struct SequencedStep {
  Durations ends;
  std::vector<std::uint32_t> order;   // events, each behind everything that it waits for
  std::vector<std::uint32_t> before;  // by event: where its rank's pass before it leaves the rank; or kNoPass
  std::vector<Seconds> last;          // by lane: the end of the last event

  // The mean over draws of the last end: `replicas` neighbouring lanes are a draw.
  Seconds mean(std::uint32_t replicas) const;
};

class PassGraph {
 public:
  // Views `derived`, which outlives it. Contract: its transposed inputs have the default InputRule, under
  // which no edge but those of sequences depends on a sequence.
  explicit PassGraph(const Derived& derived);

  const Derived& derived() const { return derived_; }

  // Runs the step. Returns false if passes wait for each other in a circle. `step` is scratch space, too.
  // Contract: the sequences have the same passes on each rank as sequences_of(the derived order).
  bool run(const PassSequences& sequences, const Durations& durations, SequencedStep& step) const;

  // The events whose outputs an event needs.
  std::span<const std::uint32_t> needs_of(std::uint32_t event) const { return needed_.of(EventId(event)); }

 private:
  void find_blocking_transfers();
  void set_last(SequencedStep& step) const;
  bool sort(const PassSequences& sequences, SequencedStep& step) const;

  const Derived& derived_;
  OrderRows needed_, needed_by_;
  std::vector<std::uint32_t> leaves_at_;  // by pass: itself, or its last blocking transfer
  std::vector<std::uint32_t> sinks_;      // events that no other needs
};

}  // namespace spillway
