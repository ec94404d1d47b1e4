// A (max,+) linear function from times to times: the timing denotation of a part of a step (paper section
// 3.3), as a matrix over the reals with -inf, where + is max and x is +.
//
//   end(o) = max( from_start(o), max over inputs i of arrival(i) + delay(o, i) )
//
// A delay is the longest path from the end of i to the end of o inside the part; -inf means none. The start
// of the step, time 0, is an input that every part has. Baccelli, Cohen, Olsder, Quadrat, Synchronization and
// Linearity (1992), chapters 2 and 3.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

inline constexpr Seconds kNoPath = Seconds(-std::numeric_limits<double>::infinity());

// The end of an event on the lanes that execute it as one, named by the first of them. An output port is a
// completion, or a rank handed over. An input port is an arrival, or a rank taken over. Ports have the
// topological order of the events.
struct Port {
  EventId event;
  std::uint32_t lane;

  friend auto operator<=>(const Port&, const Port&) = default;
};

class TransferFunction {
 public:
  // Begins without paths. Contract: both lists ascend; no port is in both.
  TransferFunction(std::vector<Port> inputs, std::vector<Port> outputs);

  std::span<const Port> inputs() const { return inputs_; }
  std::span<const Port> outputs() const { return outputs_; }

  // Row of output o: [0] from the start of the step, [1 + i] the delay from input i. In seconds.
  std::span<double> row(std::size_t o) { return {paths_.data() + o * width(), width()}; }
  std::span<const double> row(std::size_t o) const { return {paths_.data() + o * width(), width()}; }

  Seconds from_start(std::size_t o) const { return Seconds(row(o)[0]); }
  Seconds delay(std::size_t o, std::size_t i) const { return Seconds(row(o)[1 + i]); }

 private:
  std::size_t width() const { return 1 + inputs_.size(); }

  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<double> paths_;  // row by row
};

// The ends of the outputs for given ends of the inputs; both in port order.
std::vector<Seconds> completions(const TransferFunction& part, std::span<const Seconds> arrivals);

}  // namespace spillway
