#include "cost/slabs/pass_time.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// The part of `total` that `cover` does not hide.
Seconds left_over(Seconds total, Seconds cover) {
  return std::max(Seconds(), total - std::max(Seconds(), cover));
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
  to_host += other.to_host;
  from_host += other.from_host;
  return *this;
}

Seconds PassTime::alone(double slowdown) const {
  return std::max({beside(computing, hidden, slowdown), to_host, from_host}) + exposed;
}

Seconds PassTime::overlapped(double slowdown, double hides) const {
  const Seconds could_hide = exposed - tensor;
  const Seconds together = beside(computing, could_hide * hides + hidden, slowdown);
  return std::max({together, to_host, from_host}) + tensor + could_hide * (1 - hides);
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
  const Seconds late = left_over(by.after_issue, times.forward - times.issued_forward);
  PassTime time{times.forward + fixed, by.exposed + ring + late,
                by.under_attention - ring + by.under_pass + by.after_issue - late, by.exposed_tensor};
  time.to_host = times.host_link;
  return time;
}

PassTime SlabPasses::input_gradient(bool weight_follows) const {
  if (!gradients.input) return {};
  const CollectiveTimes& own = communication.input_gradient;
  const Seconds ring = left_over(own.under_attention, times.attention_backward);
  const Seconds computing = times.input_gradient + (weight_follows ? times.weight_after_input : Seconds());
  const Seconds late = left_over(own.after_issue, computing - times.issued_backward);
  PassTime time{times.input_gradient, own.exposed + ring + late,
                own.under_attention - ring + own.under_pass + own.after_issue - late, own.exposed_tensor,
                times.recomputed};
  time.from_host = times.host_link;
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
  const CollectiveTimes& own = communication.weight_gradient;
  PassTime time{computing, own.exposed, own.under_pass, own.exposed_tensor};
  if (!gradients.input) time.from_host = times.host_link;
  return time;
}

}  // namespace spillway
