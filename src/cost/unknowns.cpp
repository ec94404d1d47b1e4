#include "cost/unknowns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <variant>
#include <vector>

#include "cost/network/routing_skew.h"
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

// The most uneven routing: the spread of the logarithms of experts' loads. It is that of a Gini coefficient
// of 0.38, which is erf(spread / 2). Five trained models on H100 have 0.10 to 0.38 (arXiv 2605.20982); 0 is
// balance by force, as in benchmarks. With large groups the busiest device has up to 4 times the mean (1.30
// to 4.01 in arXiv 2606.04101).
constexpr double kMostUneven = 0.7;
// The longest time between steps of a framework that does not state it: the end of the interval of those that
// do.
constexpr Seconds kLongestBetweenSteps = milliseconds(60);

// The longest that a framework's host takes over a mixture of experts, as a factor on what is counted of it:
// no source states Python's time of its layers. Fitted, in steps of 0.5, to the first, third, ... of the rows
// with a mixture and a host in the classes of short steps and images (docs/accuracy.md).
constexpr double kSlowestHostOfExperts = 2;

// Box and Muller 1958.
double cut_normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return std::clamp(radius * std::cos(2 * std::numbers::pi * random.uniform()), -kCut, kCut);
}

class Variation {
 public:
  Variation(RandomStream& random, Unknowns of) : random_(random), of_(of) {}

  // Assigns the next draws to this unknown.
  Variation& as(Unknown now) {
    now_ = now;
    return *this;
  }
  // Host times are drawn by this variate from here on.
  void hosts_err_by(double normal) { hosts_ = normal; }

  // 0 if the unknown is not drawn.
  double normal() {
    const double drawn = cut_normal(random_);
    return of_.meets(now_) ? drawn : 0;
  }

  // From 0, the value that the model assumes, to 1.
  double share() {
    const double drawn = random_.uniform();
    return of_.meets(now_) ? drawn : 0;
  }

  double factor(double deviation) { return std::exp(deviation * normal()); }

  template <class Value>
  double factor(const Sourced<Value>& figure) {
    return factor_at(figure, normal());
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
    as(Unknown::Sustained);
    if (!is_stated(sustained)) {
      const double drawn = kLeastSustained + (1 - kLeastSustained) * random_.uniform();
      return of_.meets(now_) ? drawn : 1;
    }
    return std::min(1 / sustained.value, factor(sustained));
  }

  TimeFactors times(const Accelerator& device, double kept) {
    TimeFactors factors;
    factors.gemm = as(Unknown::Products).by_evidence();
    factors.grouped_gemm = as(Unknown::ExpertProducts).by_evidence(&device);
    factors.attention = as(Unknown::Attention).by_evidence();
    factors.memory = as(Unknown::MemoryBound).by_evidence();
    for (TimeFactors::ByEvidence* kind :
         {&factors.gemm, &factors.grouped_gemm, &factors.attention, &factors.memory})
      for (double& factor : *kind) factor /= kept;
    return factors;
  }

  void vary(Platform& platform) {
    Accelerator& device = platform.accelerator;
    as(Unknown::Hosts).vary_host(device);
    vary(device.host_speed);
    as(Unknown::Hidden).vary(device.slowdown_under_communication);
    as(Unknown::MemoryBound);
    if (device.exposed_accumulation) vary_share(*device.exposed_accumulation);
    as(Unknown::Attention);
    for (AttentionKernel& kernel : device.attention_kernels) {
      vary_share(kernel.forward);
      vary_share(kernel.backward);
    }
    as(Unknown::Network);
    std::vector<double> by_port;
    for (NetworkPort& port : platform.ports) {
      by_port.push_back(factor(port.bandwidth));
      port.bandwidth.value = port.bandwidth.value * by_port.back();
    }
    for (Tier& tier : platform.tiers) vary(tier, by_port[tier.port]);
  }

  void vary(Protocols& protocols) {
    as(Unknown::Network);
    for (Sourced<double>* share : {&protocols.launch, &protocols.small, &protocols.exchange_small})
      vary_share(*share);
    for (Sourced<Seconds>* time : {&protocols.bulk_step, &protocols.exchange, &protocols.exchange_bulk})
      vary(*time);
    if (!protocols.in_switch) return;
    vary(protocols.in_switch->once);
    vary_share(protocols.in_switch->bandwidth);
  }

  void vary(Framework& framework) {
    const auto ends_a_step = [&](const void* figure) {
      return figure == &framework.update || figure == &framework.between_steps;
    };
    each_host_time(framework, [&](const auto& form, auto& figure) {
      const bool of_end = ends_a_step(&figure);
      as(of_end ? Unknown::StepEnd : Unknown::Hosts).vary(form, figure, !of_end);
    });
    const auto vary_if = [this](FigureDraw drawn) {
      return [this, drawn](const auto& form, auto& figure) {
        as(form.key == "stage_kernels" ? Unknown::Hosts : Unknown::Hidden);
        if (form.drawn == drawn) vary(form, figure, false);
      };
    };
    each_other_figure(framework, vary_if(FigureDraw::Always));
    each_other_figure(framework, vary_if(FigureDraw::IfStated));
    vary(framework.operators);
    vary(framework.encoder_operators);
  }

 private:
  template <class Value>
  static double factor_at(const Sourced<Value>& figure, double normal) {
    if (!figure.interval || !(figure.interval->low > 0))
      return std::exp(deviation_of(figure.evidence) * normal);
    return std::pow(normal > 0 ? figure.interval->high : figure.interval->low, std::abs(normal) / kNormal95);
  }

  // Where products of experts have no table, their time follows from an efficiency, and so does its interval.
  TimeFactors::ByEvidence by_evidence(const Accelerator* of_experts = nullptr) {
    TimeFactors::ByEvidence factors;
    for (std::size_t i = 0; i < kEvidenceKinds; ++i) {
      const auto evidence = static_cast<Evidence>(i);
      const bool by_efficiency = of_experts && of_experts->operators->grouped_gemms.empty() &&
                                 of_experts->efficiency.grouped_gemm.interval &&
                                 of_experts->efficiency.grouped_gemm.evidence == evidence;
      factors[i] =
          by_efficiency ? 1 / factor(of_experts->efficiency.grouped_gemm) : factor(deviation_of(evidence));
    }
    return factors;
  }

  // Every figure takes a draw of its own, also if hosts err as one: then what is drawn later stays the same.
  template <class Value>
  void vary(const FigureForm<Value>& form, Sourced<Value>& figure, bool of_host) {
    if (form.drawn == FigureDraw::Never || (form.drawn == FigureDraw::IfStated && !is_stated(figure))) return;
    vary_as(figure, of_host);
    if (form.range == FigureRange::Share) figure.value = std::min(form.unit, figure.value);
  }
  template <class Value>
  void vary(const FigureForm<Value>& form, std::optional<Sourced<Value>>& figure, bool of_host) {
    if (figure) vary(form, *figure, of_host);
  }
  template <class Value>
  void vary_as(Sourced<Value>& figure, bool of_host) {
    const double own = normal();
    figure.value = figure.value * factor_at(figure, of_host ? hosts_ : own);
  }
  template <class Value>
  void vary_as(std::optional<Sourced<Value>>& figure, bool of_host) {
    if (figure) vary_as(*figure, of_host);
  }

  void vary(Framework::Operators& operators) {
    for (auto& [name, execution] : operators) {
      as(Unknown::Hosts);
      for (auto* kernels : {&execution.forward_kernels, &execution.input_gradient_kernels,
                            &execution.weight_gradient_kernels})
        vary(*kernels);
      as(Unknown::MemoryBound).vary(execution.traffic);
      vary(execution.gradient_traffic);
      as(Unknown::Hosts).vary_as(execution.forward_host, true);
      vary_as(execution.gradient_host, true);
      as(Unknown::MemoryBound).vary(execution.gradient_sum);
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
    host.value = host.value * std::pow(slowest, share());
  }

  RandomStream& random_;
  Unknowns of_;
  Unknown now_ = Unknown::LeftOut;
  double hosts_ = 0;
};

// The routed experts of a layer. 0: none.
std::uint32_t experts_of(const std::vector<BlockCosts>& blocks) {
  for (const BlockCosts& block : blocks)
    if (const auto* text = std::get_if<TextModel>(&block.architecture); text && text->experts)
      return text->experts->n_routed_experts;
  return 0;
}

// From 0 to 1, and 0 in every second draw: benchmarks and public recipes balance their routing by force, pack
// samples and capture whole steps.
double worse(Variation& draw, Unknown unknown) {
  return std::max(0.0, 2 * draw.as(unknown).share() - 1);
}

// Varies the job where nobody stated how it runs, from the model's assumption to the worst case.
void vary_what_is_open(AnalyticCosts& drawn, Variation& draw) {
  Parallelism& by = drawn.parallelism;
  const double uneven = worse(draw, Unknown::Routing), padded = worse(draw, Unknown::Padding),
               late = worse(draw, Unknown::StepEnd);
  if (const std::uint32_t experts = experts_of(drawn.blocks);
      experts > 0 && by.expert > 1 && !by.routing_stated)
    by.expert_imbalance = busiest_over_mean(kMostUneven * uneven, experts, by.expert);
  Framework& framework = drawn.framework;
  if (padded > 0 && !is_stated(framework.pads_to)) framework.pads_to.value = PadsTo::Microbatch;
  if (!is_stated(framework.between_steps)) framework.between_steps.value = kLongestBetweenSteps * late;
}

void vary_host_of_experts(AnalyticCosts& drawn, Variation& draw) {
  const double slower = std::pow(kSlowestHostOfExperts, worse(draw, Unknown::Hosts));
  if (!drawn.framework.launch || experts_of(drawn.blocks) == 0) return;
  auto& speed = drawn.platform.accelerator.host_speed;
  if (!speed) speed = Sourced<double>{1, Evidence::Assumed, "that of frameworks' statements"};
  speed->value = speed->value / slower;
}

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

double deviation_of(const PassTable& measured) {
  return std::hypot(deviation_of(Evidence::Measured), spread_of_repeats(measured));
}

double log_normal(RandomStream& random, double deviation) {
  return std::exp(deviation * cut_normal(random));
}

AnalyticCosts drawn_about(const AnalyticCosts& costs, RandomStream& random, Unknowns of) {
  RandomStream of_job = beside(random);
  Variation open(of_job, of), draw(random, of);
  AnalyticCosts drawn = costs;
  vary_what_is_open(drawn, open);
  draw.hosts_err_by(open.as(Unknown::Hosts).normal());
  vary_host_of_experts(drawn, open);
  const Accelerator& device = costs.platform.accelerator;
  const OperatorTimes times = costs.operator_times ? *costs.operator_times : OperatorTimes(device);
  drawn.operator_times = times.scaled(draw.times(device, draw.kept(device.sustained)));
  draw.vary(drawn.platform);
  draw.vary(drawn.framework);
  for (BlockCosts& block : drawn.blocks) {
    const auto vary = [&](std::optional<double>& share) {
      if (share) share = std::min(1.0, *share * draw.factor(deviation_of(block.efficiency.evidence)));
    };
    draw.as(Unknown::Products);
    vary(block.efficiency.compute);
    draw.as(Unknown::MemoryBound);
    vary(block.efficiency.memory);
    block.fixed_per_microbatch =
        block.fixed_per_microbatch * draw.as(Unknown::Products).factor(deviation_of(Evidence::Assumed));
  }
  RandomStream own = beside(random);
  Variation by_protocols(own, of);
  for (Tier& tier : drawn.platform.tiers)
    if (tier.protocols) by_protocols.vary(*tier.protocols);
  if (costs.measured)
    drawn.measured_time *= by_protocols.as(Unknown::MeasuredPasses).factor(deviation_of(*costs.measured));
  return drawn;
}

double left_out(const AnalyticCosts& costs) {
  const auto reads_images = [](const BlockCosts& block) {
    return std::holds_alternative<VisionTower>(block.architecture);
  };
  return std::ranges::any_of(costs.blocks, reads_images) ? kLeftOutWithImages : kLeftOut;
}

}  // namespace spillway
