#include "experiment/what_if.h"

#include <memory>
#include <sstream>
#include <utility>

#include "experiment/experiment.h"

namespace spillway {
namespace {

std::string factor_text(double factor) {
  std::ostringstream text;
  text << factor;
  return text.str();
}

template <class Value>
void scale(Sourced<Value>& figure, double factor) {
  figure.value = figure.value * factor;
  figure.evidence = Evidence::Assumed;
  figure.source += ", times " + factor_text(factor) + " (what_if)";
}

void speed_up(Protocols& protocols, double speed) {
  for (Sourced<Seconds>* time : {&protocols.bulk_step, &protocols.exchange, &protocols.exchange_bulk})
    scale(*time, 1 / speed);
  if (protocols.in_switch) scale(protocols.in_switch->once, 1 / speed);
}

void speed_up(ExpertKernels& kernels, double speed) {
  scale(kernels.dispatch, speed);
  scale(kernels.combine, speed);
  if (kernels.fp8_dispatch) scale(*kernels.fp8_dispatch, speed);
}

void speed_up(Tier& tier, double speed) {
  scale(tier.bandwidth, speed);
  scale(tier.latency, 1 / speed);
  if (tier.step_latency) scale(*tier.step_latency, 1 / speed);
  if (tier.protocols) speed_up(*tier.protocols, speed);
  for (ExpertKernels& kernels : tier.expert_kernels) speed_up(kernels, speed);
  for (MeasuredCollective& sweep : tier.collectives) {
    for (auto& [bytes, time] : sweep.points.value) time = time * (1 / speed);
    sweep.points.evidence = Evidence::Assumed;
  }
}

// A port and its tiers are one piece of hardware, so they change together.
void speed_up_links(Platform& platform, const WhatIf& what_if) {
  for (std::size_t index = 0; index < platform.ports.size(); ++index) {
    const auto own = what_if.port_speed.find(platform.ports[index].name);
    const double speed = what_if.link_speed * (own == what_if.port_speed.end() ? 1 : own->second);
    if (speed == 1) continue;
    scale(platform.ports[index].bandwidth, speed);
    for (Tier& tier : platform.tiers)
      if (tier.port == index) speed_up(tier, speed);
  }
}

// A framework's host times are divided by the accelerator's host_speed (on_host).
void speed_up_hosts(Accelerator& accelerator, double speed) {
  if (speed == 1) return;
  scale(accelerator.host_overhead, 1 / speed);
  if (!accelerator.host_speed)
    accelerator.host_speed = Sourced<double>{1, Evidence::Assumed, "that of frameworks' statements"};
  scale(*accelerator.host_speed, speed);
}

void speed_up_operators(AnalyticCosts& costs, double speed) {
  if (speed == 1) return;
  TimeFactors factors;
  for (TimeFactors::ByEvidence* kind :
       {&factors.gemm, &factors.grouped_gemm, &factors.attention, &factors.memory})
    kind->fill(1 / speed);
  const OperatorTimes times =
      costs.operator_times ? *costs.operator_times : OperatorTimes(costs.platform.accelerator);
  costs.operator_times = times.scaled(factors);
}

void scale_times(BlockProfile& block, double factor) {
  for (Seconds* time : {&block.forward, &block.input_gradient, &block.weight_gradient})
    *time = *time * factor;
  if (block.fused_forward_backward) block.fused_forward_backward = *block.fused_forward_backward * factor;
}

void apply(const WhatIf& what_if, const Model& model, GivenCosts& costs) {
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const bool encodes = model.blocks()[i].role == Role::Encoder;
    const double factor = (encodes ? what_if.encoder_time : 1) / what_if.compute_speed;
    if (factor != 1) scale_times(costs.blocks[i], factor);
  }
  if (!costs.reduction) costs.reduction = costs.p2p;
  costs.p2p = costs.p2p * (1 / what_if.link_speed);
  costs.reduction = *costs.reduction * (1 / what_if.link_speed);
}

void apply(const WhatIf& what_if, const Model& model, AnalyticCosts& costs) {
  if (costs.measured) costs.before_what_if = std::make_shared<const AnalyticCosts>(costs);
  for (std::size_t i = 0; i < costs.blocks.size(); ++i)
    if (model.blocks()[i].role == Role::Encoder) costs.blocks[i].what_if_time = what_if.encoder_time;
  costs.what_if_inner_collective_time = what_if.inner_collective_time;
  speed_up_operators(costs, what_if.compute_speed);
  for (Platform* platform : {&costs.platform, costs.packed ? &*costs.packed : nullptr}) {
    if (!platform) continue;
    speed_up_links(*platform, what_if);
    speed_up_hosts(platform->accelerator, what_if.host_speed);
  }
}

}  // namespace

std::vector<std::string> assumptions_of(const WhatIf& what_if) {
  std::vector<std::string> all;
  const auto say = [&](const std::string& what) { all.push_back("what if: " + what); };
  if (what_if.encoder_time != 1)
    say("encoders take " + factor_text(what_if.encoder_time) + " times their time");
  if (what_if.link_speed != 1) say("links run at " + factor_text(what_if.link_speed) + " times their speed");
  for (const auto& [port, speed] : what_if.port_speed)
    if (speed != 1) say("links of " + port + " run at " + factor_text(speed) + " times their speed");
  if (what_if.compute_speed != 1)
    say("devices compute at " + factor_text(what_if.compute_speed) + " times their speed");
  if (what_if.host_speed != 1) say("hosts run at " + factor_text(what_if.host_speed) + " times their speed");
  if (what_if.inner_collective_time != 1)
    say("collectives inside passes take " + factor_text(what_if.inner_collective_time) + " times their time");
  if (what_if.even_stages) say("every pipelined stage takes the mean time of all stages");
  if (what_if.straggler.time != 1)
    say("passes of rank " + std::to_string(what_if.straggler.rank) + " take " +
        factor_text(what_if.straggler.time) + " times their time");
  if (what_if.between_steps > Seconds())
    say("each step begins " + factor_text(what_if.between_steps / milliseconds(1)) + " ms late");
  return all;
}

Experiment with_what_if(Experiment experiment) {
  if (!experiment.fits.empty()) return experiment;
  const WhatIf what_if =
      std::exchange(experiment.what_if, {.even_stages = experiment.what_if.even_stages,
                                         .straggler = experiment.what_if.straggler,
                                         .between_steps = experiment.what_if.between_steps});
  if (what_if == experiment.what_if) return experiment;
  if (auto* given = std::get_if<GivenCosts>(&experiment.costs))
    apply(what_if, experiment.model, *given);
  else
    apply(what_if, experiment.model, *on_platform(experiment.costs));
  return experiment;
}

}  // namespace spillway
