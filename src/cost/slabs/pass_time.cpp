#include "cost/slabs/pass_time.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// The part of `total` that `cover` does not hide.
Seconds left_over(Seconds total, Seconds cover) {
  return std::max(Seconds(), total - cover);
}

Seconds beside(Seconds computing, Seconds hidden, double slowdown) {
  return std::max(hidden, computing + slowdown * std::min(computing, hidden));
}

}  // namespace

PassTime& PassTime::operator+=(const PassTime& other) {
  computing += other.computing;
  exposed += other.exposed;
  hidden += other.hidden;
  tensor += other.tensor;
  recomputed += other.recomputed;
  return *this;
}

Seconds PassTime::alone(double slowdown) const {
  return beside(computing, hidden, slowdown) + exposed;
}

Seconds PassTime::overlapped(double slowdown, double hides) const {
  const Seconds could_hide = exposed - tensor;
  return beside(computing, could_hide * hides + hidden, slowdown) + tensor + could_hide * (1 - hides);
}

PassTime SlabPasses::of(Pass pass) const {
  switch (pass) {
    case Pass::Forward:
      return forward();
    case Pass::InputGradient:
      return input_gradient(false);
    case Pass::WeightGradient:
      return weight_gradient(times.weight_gradient);
    case Pass::Backward:
      PassTime both = input_gradient(true);
      both += weight_gradient(times.weight_after_input);
      return both;
  }
  throw ContractBreach("unknown pass");
}

PassTime SlabPasses::forward() const {
  const CollectiveTimes& by = communication.forward;
  const Seconds ring = left_over(by.under_attention, times.attention_forward);
  return {times.forward + fixed, by.exposed + ring, by.under_attention - ring + by.under_pass,
          by.exposed_tensor};
}

PassTime SlabPasses::input_gradient(bool weight_follows) const {
  if (!gradients.input) return {};
  const CollectiveTimes& own = communication.input_gradient;
  const Seconds ring = left_over(own.under_attention, times.attention_backward);
  PassTime time{times.input_gradient, own.exposed + ring, own.under_attention - ring + own.under_pass,
                own.exposed_tensor, times.recomputed};
  const auto expose = [&](Seconds more, Seconds of_tensor) {
    time.exposed += more;
    time.tensor += of_tensor;
  };
  const Seconds reduction = communication.input_reduction;
  if (weight_follows && gradients.weight)
    time.hidden += reduction;
  else
    expose(reduction, reduction);
  expose(communication.repeated.exposed, communication.repeated.exposed_tensor);
  return time;
}

PassTime SlabPasses::weight_gradient(Seconds computing) const {
  if (!gradients.weight) return {};
  return {computing, Seconds(), communication.weight_gradient.under_pass, Seconds()};
}

}  // namespace spillway
