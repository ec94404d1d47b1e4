#include "cost/unknowns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "platform/framework_figures.h"

namespace spillway {
namespace {

constexpr double kNormal95 = 1.96;       // half width of a 95 % interval in standard deviations
constexpr double kCut = 2.5;             // standard deviations
constexpr double kLeastSustained = 0.8;  // near the lowest share that a shipped platform states
// The longest time that an operator takes a host in public steps: Megatron-Bridge's short ones in eager mode
// (docs/accuracy.md).
constexpr Seconds kSlowestHost = microseconds(300);
constexpr double kClosedForms = 0.15;  // of collectives without a sweep, beyond their figures
// The same where protocols are stated. The mean error of a sweep that they were not fitted to is 9 %
// (docs/accuracy.md); the mean absolute error of a normal variate is 0.8 deviations.
constexpr double kProtocolForms = 0.12;

double uniform(RandomStream& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

class Variation {
 public:
  explicit Variation(RandomStream& random) : random_(random) {}

  double factor(double deviation) { return log_normal(random_, deviation); }

  template <class Value>
  double factor(const Sourced<Value>& figure) {
    if (!figure.interval || !(figure.interval->low > 0)) return factor(deviation_of(figure.evidence));
    const double drawn = std::log(factor(1.0));
    return std::pow(drawn > 0 ? figure.interval->high : figure.interval->low, std::abs(drawn) / kNormal95);
  }

  template <class Value>
  void vary(Sourced<Value>& figure) {
    figure.value = figure.value * factor(figure);
  }

  template <class Value>
  void vary(std::optional<Sourced<Value>>& figure) {
    if (figure) vary(*figure);
  }

  void vary_share(Sourced<double>& share) { share.value = std::min(1.0, share.value * factor(share)); }

  // The share of a rate that a long run keeps, over the stated share.
  double kept(const Sourced<double>& sustained) {
    if (!is_stated(sustained)) return uniform(random_, kLeastSustained, 1);
    return std::min(1 / sustained.value, factor(sustained));
  }

  TimeFactors times(double kept) {
    TimeFactors factors;
    for (TimeFactors::ByEvidence* kind :
         {&factors.gemm, &factors.grouped_gemm, &factors.attention, &factors.memory})
      for (std::size_t evidence = 0; evidence < kEvidenceKinds; ++evidence)
        (*kind)[evidence] = factor(deviation_of(static_cast<Evidence>(evidence))) / kept;
    return factors;
  }

  void vary(Platform& platform) {
    Accelerator& device = platform.accelerator;
    vary_host(device);
    vary(device.host_speed);
    vary(device.slowdown_under_communication);
    if (device.exposed_accumulation) vary_share(*device.exposed_accumulation);
    for (AttentionKernel& kernel : device.attention_kernels) {
      vary_share(kernel.forward);
      vary_share(kernel.backward);
    }
    std::vector<double> by_port;
    for (NetworkPort& port : platform.ports) {
      by_port.push_back(factor(port.bandwidth));
      port.bandwidth.value = port.bandwidth.value * by_port.back();
    }
    for (Tier& tier : platform.tiers) vary(tier, by_port[tier.port]);
  }

  void vary(Protocols& protocols) {
    for (Sourced<double>* share : {&protocols.launch, &protocols.small, &protocols.exchange_small})
      vary_share(*share);
    for (Sourced<Seconds>* time : {&protocols.bulk_step, &protocols.exchange, &protocols.exchange_bulk})
      vary(*time);
    if (!protocols.in_switch) return;
    vary(protocols.in_switch->once);
    vary_share(protocols.in_switch->bandwidth);
  }

  void vary(Framework& framework) {
    const auto vary_if = [this](FigureDraw drawn) {
      return [this, drawn](const auto& form, auto& figure) {
        if (form.drawn == drawn) vary(form, figure);
      };
    };
    each_host_time(framework, [this](const auto& form, auto& figure) { vary(form, figure); });
    each_other_figure(framework, vary_if(FigureDraw::Always));
    each_other_figure(framework, vary_if(FigureDraw::IfStated));
    vary(framework.operators);
    vary(framework.encoder_operators);
  }

 private:
  template <class Value>
  void vary(const FigureForm<Value>& form, Sourced<Value>& figure) {
    if (form.drawn == FigureDraw::Never || (form.drawn == FigureDraw::IfStated && !is_stated(figure))) return;
    vary(figure);
    if (form.range == FigureRange::Share) figure.value = std::min(form.unit, figure.value);
  }
  template <class Value>
  void vary(const FigureForm<Value>& form, std::optional<Sourced<Value>>& figure) {
    if (figure) vary(form, *figure);
  }

  void vary(Framework::Operators& operators) {
    for (auto& [name, execution] : operators) {
      for (auto* figure :
           {&execution.forward_kernels, &execution.input_gradient_kernels, &execution.weight_gradient_kernels,
            &execution.traffic, &execution.gradient_traffic})
        vary(*figure);
      vary(execution.forward_host);
      vary(execution.gradient_host);
      vary(execution.gradient_sum);
    }
  }

  // A pair is never faster than its port.
  void vary(Tier& tier, double port) {
    const double forms =
        tier.collectives.empty() ? factor(tier.protocols ? kProtocolForms : kClosedForms) : 1;
    tier.bandwidth.value = tier.bandwidth.value * (port * std::min(1.0, forms));
    const double latency = factor(tier.latency);
    tier.latency.value = tier.latency.value * latency;
    if (tier.step_latency) tier.step_latency->value = tier.step_latency->value * latency;
    if (is_stated(tier.sustained)) vary_share(tier.sustained);
    // Kernels fill the port as far as they do.
    for (ExpertKernels& kernels : tier.expert_kernels) {
      for (auto* rate : {&kernels.dispatch, &kernels.combine}) rate->value = rate->value * port;
      if (kernels.fp8_dispatch) kernels.fp8_dispatch->value = kernels.fp8_dispatch->value * port;
    }
    for (MeasuredCollective& sweep : tier.collectives) {
      const double longer = factor(sweep.points);
      for (auto& [bytes, time] : sweep.points.value) time = time * longer;
    }
  }

  // An assumed host errs to one side: hardly any operator is launched faster, and public steps show slower
  // ones.
  void vary_host(Accelerator& device) {
    Sourced<Seconds>& host = device.host_overhead;
    if (host.evidence != Evidence::Assumed || host.value == Seconds()) return vary(host);
    const double slowest = std::max(1.0, on_host(kSlowestHost, device) / host.value);
    host.value = host.value * std::pow(slowest, random_.uniform());
  }

  RandomStream& random_;
};

// A separate stream that takes nothing from `random`: later draws from `random` do not change.
RandomStream beside(RandomStream random) {
  constexpr double kSeeds = 0x1.0p32;
  return RandomStream({static_cast<std::uint32_t>(random.uniform() * kSeeds)});
}

}  // namespace

double deviation_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::Measured:
      return 0.03;
    case Evidence::Vendor:
      return 0.05;
    case Evidence::Derived:
      return 0.08;
    case Evidence::Fitted:
      return 0.03;
    case Evidence::Extrapolated:
      return 0.15;
    case Evidence::Assumed:
      return 0.25;
  }
  throw ContractBreach("unknown evidence");
}

// Box and Muller 1958.
double log_normal(RandomStream& random, double deviation) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
  return std::exp(deviation * std::clamp(normal, -kCut, kCut));
}

AnalyticCosts drawn_about(const AnalyticCosts& costs, RandomStream& random) {
  Variation draw(random);
  AnalyticCosts drawn = costs;
  const OperatorTimes times =
      costs.operator_times ? *costs.operator_times : OperatorTimes(costs.platform.accelerator);
  drawn.operator_times = times.scaled(draw.times(draw.kept(costs.platform.accelerator.sustained)));
  draw.vary(drawn.platform);
  draw.vary(drawn.framework);
  for (BlockCosts& block : drawn.blocks) {
    const auto vary = [&](std::optional<double>& share) {
      if (share) share = std::min(1.0, *share * draw.factor(deviation_of(block.efficiency.evidence)));
    };
    vary(block.efficiency.compute);
    vary(block.efficiency.memory);
    block.fixed_per_microbatch = block.fixed_per_microbatch * draw.factor(deviation_of(Evidence::Assumed));
  }
  RandomStream own = beside(random);
  Variation by_protocols(own);
  for (Tier& tier : drawn.platform.tiers)
    if (tier.protocols) by_protocols.vary(*tier.protocols);
  return drawn;
}

}  // namespace spillway
