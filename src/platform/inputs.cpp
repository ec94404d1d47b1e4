#include "platform/inputs.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "platform/framework_figures.h"
#include "platform/platform.h"

namespace spillway {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kMicrosecond = 1e-6;

// The evidence of the weakest table.
Evidence evidence_of(const OperatorTables& tables) {
  Evidence evidence = Evidence::Measured;
  if (!tables.gemms.empty()) evidence = weaker(evidence, tables.gemm_evidence);
  if (!tables.grouped_gemms.empty()) evidence = weaker(evidence, tables.grouped_gemm_evidence);
  if (!tables.attentions.empty()) evidence = weaker(evidence, tables.attention_evidence);
  if (!tables.scans.empty()) evidence = weaker(evidence, tables.scan_evidence);
  for (const ProductTables* narrow : {&tables.fp8, &tables.fp8_blocks, &tables.fp4}) {
    if (!narrow->gemms.empty()) evidence = weaker(evidence, narrow->gemm_evidence);
    if (!narrow->grouped_gemms.empty()) evidence = weaker(evidence, narrow->grouped_gemm_evidence);
  }
  return evidence;
}

std::string trained_words(const TrainedModels& models) {
  if (!models.trains_images()) return "language models alone";
  const std::string images = models.any_images ? "models with images of every family"
                                               : "models with images of " + joined(models.images);
  return models.text ? "language models and " + images : images;
}

std::string stages_words(const PlacedStages& stages) {
  const std::string layers = stages.layers == StageLayerCounts::Any
                                 ? "stages have any number of layers"
                                 : "stages have as many layers each, but for the ends";
  return layers + (stages.encoder_first ? "; the first has the whole encoder" : "");
}

class Inputs {
 public:
  template <class Unit>
  void add(std::string name, const Sourced<Quantity<Unit>>& number, double unit, std::string unit_name) {
    all_.push_back(
        {std::move(name), number.value.value() / unit, std::move(unit_name), number.evidence, number.source});
  }

  void add(std::string name, const Sourced<double>& number) {
    all_.push_back({std::move(name), number.value, "", number.evidence, number.source});
  }

  void accelerator(const Accelerator& device) {
    const auto named = [](const char* what) { return "accelerator: " + std::string(what); };
    add(named("BF16 peak"), device.peak, kTera, "TFLOP/s");
    if (device.fp8_peak) add(named("FP8 peak"), *device.fp8_peak, kTera, "TFLOP/s");
    if (device.fp4_peak) add(named("FP4 peak"), *device.fp4_peak, kTera, "TFLOP/s");
    if (device.fp8_attention_forward)
      add(named("attention in FP8, times as fast"), *device.fp8_attention_forward);
    if (device.fp8_attention_backward)
      add(named("attention backward in FP8, times as fast"), *device.fp8_attention_backward);
    add(named("memory"), device.memory, kGiga, "GB");
    add(named("memory bandwidth"), device.memory_bandwidth, kGiga, "GB/s");
    add(named("efficiency of gemm"), device.efficiency.gemm);
    add(named("efficiency of grouped gemm"), device.efficiency.grouped_gemm);
    add(named("efficiency of attention"), device.efficiency.attention);
    add(named("efficiency of attention backward"), device.efficiency.attention_backward);
    add(named("efficiency of memory"), device.efficiency.memory);
    operators(device.operators);
    add(named("latency of memory-bound operators"), device.memory_latency, kMicrosecond, "us");
    if (device.device_latency)
      add(named("latency of memory-bound operators, the device's own"), *device.device_latency, kMicrosecond,
          "us");
    add(named("host overhead per operator"), device.host_overhead, kMicrosecond, "us");
    if (device.host_speed) add(named("speed of a host's thread"), *device.host_speed);
    add(named("slowdown under communication"), device.slowdown_under_communication);
    if (device.exposed_accumulation)
      add(named("exposed of accumulated gradients"), *device.exposed_accumulation);
    add(named("sustained"), device.sustained);
    if (device.power_limit) add(named("power limit"), *device.power_limit);
    if (device.power_limit) add(named("clock under it"), clock_kept(device));
    if (device.host_link) add(named("link to the host"), *device.host_link, kGiga, "GB/s");
  }

  void tier(const Tier& tier, const NetworkPort& port) {
    const std::string name = "tier " + tier.name + ": ";
    add(name + "port " + port.name, port.bandwidth, kGiga, "GB/s");
    add(name + "latency", tier.latency, kMicrosecond, "us");
    if (tier.step_latency) add(name + "latency of a step", *tier.step_latency, kMicrosecond, "us");
    add(name + "bandwidth of a pair", tier.bandwidth, kGiga, "GB/s");
    if (is_stated(tier.sustained)) add(name + "what collectives sustain", tier.sustained);
    if (tier.protocols) protocols(name, *tier.protocols);
    for (const ExpertKernels& kernels : tier.expert_kernels) {
      const std::string among = " of expert kernels among " + std::to_string(kernels.devices);
      add(name + "dispatch" + among, kernels.dispatch, kGiga, "GB/s");
      add(name + "combine" + among, kernels.combine, kGiga, "GB/s");
      if (kernels.fp8_dispatch) add(name + "FP8 dispatch" + among, *kernels.fp8_dispatch, kGiga, "GB/s");
    }
    for (const MeasuredCollective& sweep : tier.collectives) {
      all_.push_back(
          {name + std::string(word_for(sweep.operation)) + " among " + std::to_string(sweep.devices),
           static_cast<double>(sweep.points.value.size()), "sizes", sweep.points.evidence,
           sweep.points.source});
    }
  }

  void framework(const Framework& framework, const Accelerator& device) {
    const auto named = [](const std::string& what) { return "framework: " + what; };
    const auto add_stated = [&](const auto& form, const auto& figure) {
      if (const auto* known = stated(figure))
        all_.push_back(
            {named(form.name), known->value / form.unit, form.unit_name, known->evidence, known->source});
    };
    each_host_time(framework, add_stated);
    if (const auto& graphs = framework.graphs)
      all_.push_back(
          {named("CUDA graphs over " + words(graphs->value)), 1, "", graphs->evidence, graphs->source});
    if (const AttentionKernel* kernel = attention_kernel(framework, device)) {
      add(named("attention by " + kernel->name + ", forward"), kernel->forward);
      add(named("attention by " + kernel->name + ", backward"), kernel->backward);
    }
    if (takes_own_attention(framework, device))
      all_.push_back({named("attention of the accelerator instead of " + framework.attention->value), 1, "",
                      Evidence::Assumed, device.name + " does not state that kernel"});
    if (framework.pads_values)
      all_.push_back({named("values padded to keys in attention"), 1, "", Evidence::Derived,
                      "the framework's own file"});
    if (framework.kernels_per_expert)
      all_.push_back(
          {named("kernels for each expert"), 1, "", Evidence::Derived, "the framework's own file"});
    if (!framework.fused_loss)
      all_.push_back(
          {named("loss of several kernels"), 1, "", Evidence::Assumed, "the framework's own file"});
    if (const auto& chunked = framework.chunked_loss) {
      all_.push_back({named(chunked->gradients_in_forward ? "loss in chunks, gradients in the forward"
                                                          : "loss in chunks, made again in the backward"),
                      1, "", chunked->evidence, chunked->source});
      if (chunked->chunks) add(named("chunks of the loss"), *chunked->chunks);
    }
    if (framework.recompute_stops_early)
      all_.push_back({named("recomputation stops early"), 1, "", Evidence::Derived,
                      "PyTorch's checkpoint without reentry, early_stop"});
    if (framework.scatter_gather)
      all_.push_back(
          {named("transfers scattered and gathered"), 1, "", Evidence::Derived, "the framework's own file"});
    documents(framework);
    add_choice("reductions begin ", framework.reductions, kReductionStarts);
    add_choice("gradients summed by ", framework.gradient_sum, kGradientSums);
    add_choice("parameters returned by ", framework.parameters, kParameterReturns);
    add_choice("sharded weights: ", framework.sharding.weights, kShardedWeights);
    add_choice("sharded gradients reduced by ", framework.sharding.reduces, kShardReduces);
    add_choice("a layer waits for ", framework.sharding.waits, kLayerWaits);
    each_other_figure(framework, add_stated);
    operators("framework: ", framework.operators);
    operators("framework: encoder, ", framework.encoder_operators);
    launched(framework);
  }

  std::vector<PlatformInput> take() && { return std::move(all_); }

 private:
  template <class Choice, class Words>
  void add_choice(const char* what, const std::optional<Sourced<Choice>>& choice, const Words& words) {
    if (!choice) return;
    for (const auto& [word, value] : words)
      if (value == choice->value)
        all_.push_back(
            {std::string("framework: ") + what + std::string(word), 1, "", choice->evidence, choice->source});
  }

  // Adds the models that the framework trains, the way it splits them into stages, and its dispatch.
  void launched(const Framework& framework) {
    if (const auto& models = framework.models)
      all_.push_back(
          {"framework: trains " + trained_words(*models), 1, "", models->evidence, models->source});
    if (const auto& stages = framework.stages)
      all_.push_back({"framework: " + stages_words(*stages), 1, "", stages->evidence, stages->source});
    add_choice("its users send tokens to experts ", framework.dispatch, kExpertDispatches);
  }

  void documents(const Framework& framework) {
    if (const Sourced<bool>& across = framework.attends_across_documents; is_stated(across))
      all_.push_back({std::string("framework: attention ") + (across.value ? "across" : "within") +
                          " documents of a packed sequence",
                      1, "", across.evidence, across.source});
    if (const Sourced<PadsTo>& pads = framework.pads_to; is_stated(pads))
      all_.push_back({std::string("framework: unpacked samples padded to: ") + to_string(pads.value), 1, "",
                      pads.evidence, pads.source});
  }

  void operators(const std::string& of_framework, const Framework::Operators& operators) {
    for (const auto& [name, execution] : operators) {
      const std::string before = of_framework + name + ", ";
      const auto of = [&](const char* what, const std::optional<Sourced<double>>& figure) {
        if (figure) add(before + what, *figure);
      };
      of("kernels of a forward", execution.forward_kernels);
      of("kernels of an input gradient", execution.input_gradient_kernels);
      of("kernels of a weight gradient", execution.weight_gradient_kernels);
      of("traffic", execution.traffic);
      of("traffic of the gradient", execution.gradient_traffic);
      of("live tensors of a forward", execution.live);
      of("live tensors of the gradient", execution.gradient_live);
      of("waits of the host in a forward", execution.waits);
      if (execution.forward_host)
        add(before + "host of a forward", *execution.forward_host, kMicrosecond, "us");
      if (execution.gradient_host)
        add(before + "host of a gradient", *execution.gradient_host, kMicrosecond, "us");
      if (execution.gradient_sum)
        add(before + "adding a parameter's gradient", *execution.gradient_sum, 1, "bytes");
    }
  }

  void protocols(const std::string& tier, const Protocols& figures) {
    const std::string name = tier + "collectives without a sweep, ";
    add(name + "launch", figures.launch);
    add(name + "small rings", figures.small);
    add(name + "a step of large rings", figures.bulk_step, kMicrosecond, "us");
    add(name + "all-to-all", figures.exchange, kMicrosecond, "us");
    add(name + "small all-to-alls", figures.exchange_small);
    add(name + "large all-to-alls", figures.exchange_bulk, kMicrosecond, "us");
    if (!figures.in_switch) return;
    add(name + "all-reduce in switches", figures.in_switch->once, kMicrosecond, "us");
    add(name + "bandwidth in switches", figures.in_switch->bandwidth);
  }

  void operators(const OperatorTables& tables) {
    const std::size_t times = tables.gemms.size() + tables.grouped_gemms.size() + tables.attentions.size() +
                              tables.scans.size() + tables.fp8.size() + tables.fp8_blocks.size() +
                              tables.fp4.size();
    if (times > 0)
      all_.push_back({"accelerator: measured operators", static_cast<double>(times), "shapes",
                      evidence_of(tables), joined(tables.sources, "; ")});
  }

  std::vector<PlatformInput> all_;
};

}  // namespace

std::vector<PlatformInput> platform_inputs(const Platform& platform, std::uint32_t devices) {
  ensure(devices > 0 && devices <= platform.device_count(), "a job has devices and fits its platform");
  Inputs inputs;
  inputs.accelerator(platform.accelerator);
  std::uint32_t below = 1;  // devices of a group of the tier before
  for (const Tier& tier : platform.tiers) {
    if (devices > below) inputs.tier(tier, platform.ports[tier.port]);
    below = tier.devices;
  }
  if (platform.price) inputs.add("price per device", *platform.price, 1, "USD/h");
  return std::move(inputs).take();
}

std::vector<PlatformInput> framework_inputs(const Framework& framework, const Accelerator& accelerator) {
  Inputs inputs;
  inputs.framework(framework, accelerator);
  return std::move(inputs).take();
}

}  // namespace spillway
