#include "cost/analytic_costs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cost/layers/context_parallel.h"
#include "cost/layers/layer_cost.h"
#include "cost/layers/split_experts.h"

namespace spillway {
namespace {

// Returns true if each member has whole heads, or each head lies on equally many members.
bool shares_out(std::uint32_t heads, std::uint32_t tensor) {
  return heads % tensor == 0 || tensor % heads == 0;
}

// Checks that heads and experts can be split over the devices.
class SplitCheck {
 public:
  SplitCheck(const LayerStack& stack, const Parallelism& parallel) : stack_(stack), parallel_(parallel) {}

  std::vector<Violation> run() && {
    if (parallel_.tensor != 0) tensor();
    if (parallel_.context_by == ContextBy::Ulysses) by_heads();
    if (parallel_.expert_tensor != 0 && !can_split_experts(stack_.layers, parallel_.expert_tensor))
      add("/parallel/expert_tensor", "a divisor of the experts' inner width",
          std::to_string(parallel_.expert_tensor));
    if (stack_.routed_experts > 0 && parallel_.expert != 0 && stack_.routed_experts % parallel_.expert != 0)
      add("/parallel/expert", "a divisor of " + std::to_string(stack_.routed_experts) + " experts",
          std::to_string(parallel_.expert));
    return std::move(violations_);
  }

 private:
  void add(std::string pointer, std::string expected, std::string found) {
    violations_.push_back({"", std::move(pointer), std::move(expected), std::move(found)});
  }

  void tensor() {
    const std::string found = std::to_string(parallel_.tensor);
    if (stack_.heads % parallel_.tensor != 0)
      add("/parallel/tensor", "a divisor of " + std::to_string(stack_.heads) + " attention heads", found);
    else if (!shares_out(stack_.key_value_heads, parallel_.tensor))
      add("/parallel/tensor",
          "a divisor or a multiple of " + std::to_string(stack_.key_value_heads) + " key/value heads", found);
  }

  // Each device of a rank must have whole heads.
  void by_heads() {
    if (parallel_.members() == 0) return;
    whole_heads(stack_.heads, " attention heads");
    if (!repeats_key_value_heads(stack_.key_value_heads, parallel_))
      whole_heads(stack_.key_value_heads, " key/value heads");
  }

  void whole_heads(std::uint32_t heads, const char* what) {
    if (heads % parallel_.members() != 0)
      add("/parallel/context_by", "with tensor x context a divisor of " + std::to_string(heads) + what,
          "ulysses among " + std::to_string(parallel_.members()));
  }

  const LayerStack& stack_;
  const Parallelism& parallel_;
  std::vector<Violation> violations_;
};

class Check {
 public:
  Check(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline)
      : costs_(costs), model_(model), pipeline_(pipeline) {}

  std::vector<Violation> run() && {
    violations_ = check_parallelism(costs_.parallelism, pipeline_.replicas);
    if (violations_.empty()) devices();
    if (costs_.blocks.size() != model_.blocks().size()) {
      add("/model/blocks", std::to_string(costs_.blocks.size()) + " blocks",
          std::to_string(model_.blocks().size()));
      return std::move(violations_);
    }
    if (costs_.parallelism.optimizer == OptimizerPlace::Swapped && !costs_.platform.accelerator.host_link)
      add("/parallel/optimizer", "\"device\": " + costs_.platform.name + " states no host_link_gbps",
          "\"swapped\"");
    if (costs_.parallelism.states.offloaded > 0) offloaded();
    if (costs_.parallelism.states.newton_schulz_steps > 0) muon();
    for (std::size_t i = 0; i < costs_.blocks.size(); ++i) block(i);
    if (costs_.parallelism.expert > 1 && !any_experts_)
      add("/parallel/expert", "1, since no block of the model has experts",
          std::to_string(costs_.parallelism.expert));
    if (costs_.parallelism.expert_tensor > 1 && !any_experts_)
      add("/parallel/expert_tensor", "1, since no block of the model has experts",
          std::to_string(costs_.parallelism.expert_tensor));
    return std::move(violations_);
  }

 private:
  void add(std::string pointer, std::string expected, std::string found) {
    violations_.push_back({"", std::move(pointer), std::move(expected), std::move(found)});
  }

  void check_offload(std::size_t i, bool has_experts) {
    const BlockCosts& block = costs_.blocks[i];
    const Offload offload = block.offload;
    if (!offload.any()) return;
    const std::string key = "/model/blocks/" + std::to_string(i) + "/offload";
    const bool whole = block.recompute.what == Recompute::Full;
    const auto has = [&](OffloadModule module) { return offload.has(module); };
    if (!costs_.platform.accelerator.host_link)
      add(key, "none: " + costs_.platform.name + " states no host_link_gbps", "more");
    else if (offload.what() == OffloadWhat::Inputs && !whole)
      add(key, "all, modules, or recompute full, which keeps the inputs of layers", "inputs");
    else if (offload.what() == OffloadWhat::Some && (whole || block.recompute.what == Recompute::Alternate))
      add(key, "all or none, since whole layers are recomputed", "modules");
    else if (has(OffloadModule::AttentionOutput) && !has(OffloadModule::CoreAttention))
      add(key, "core_attn beside attn_proj, since its backward reads the output, too", "attn_proj");
    else if (!has_experts && (has(OffloadModule::ExpertProduct) || has(OffloadModule::ExpertActivation)))
      add(key, "no expert_fc1 or moe_act, since the block has no experts", "one of them");
  }

  void offloaded() {
    const char* key = "/parallel/optimizer_offload_fraction";
    if (!costs_.platform.accelerator.host_link)
      add(key, "0: " + costs_.platform.name + " states no host_link_gbps", "more");
    if (costs_.parallelism.optimizer == OptimizerPlace::Swapped)
      add(key, "0 beside a swapped optimizer, all of whose states are in the host's memory", "more");
  }

  void muon() {
    const char* key = "/parallel/muon_num_ns_steps";
    const std::string found = std::to_string(costs_.parallelism.states.newton_schulz_steps);
    if (!updates(costs_.parallelism.states, costs_.parallelism.data))
      add(key, "no such key with zero2 or zero3, which split the matrices that Muon takes whole", found);
    if (costs_.parallelism.states.offloaded > 0)
      add(key, "no such key beside optimizer_offload_fraction: the host updates by Adam", found);
  }

  void devices() {
    const std::uint64_t wanted =
        std::uint64_t{pipeline_.ranks} * pipeline_.replicas * costs_.parallelism.members();
    const std::uint32_t there = costs_.platform.device_count();
    if (wanted <= there) return;
    add("/pipeline", "at most the " + std::to_string(there) + " devices of " + costs_.platform.name,
        std::to_string(wanted) + " devices");
  }

  void block(std::size_t i) {
    const std::string pointer = "/model/blocks/" + std::to_string(i);
    const BlockCosts& block = costs_.blocks[i];
    efficiency(pointer + "/efficiency/compute", block.efficiency.compute);
    efficiency(pointer + "/efficiency/memory", block.efficiency.memory);
    const double fixed = block.fixed_per_microbatch.value();
    if (!std::isfinite(fixed) || fixed < 0) {
      add(pointer + "/fixed_ms", "a finite number of at least 0", std::to_string(fixed * 1e3));
    }
    precision(pointer, block.precision);
    const SharedStack trained = costs_.stacks->trained({block.architecture});
    stack(i, pointer, *trained);
    check_offload(i, std::ranges::any_of(trained->layers,
                                         [](const Layer& layer) { return layer.routing.experts > 0; }));
    graphs(pointer, block);
  }

  // Images differ in size, and a graph's tensors do not. The host cannot wait inside a graph.
  void graphs(const std::string& pointer, const BlockCosts& block) {
    const auto& stated = costs_.framework.graphs;
    if (!stated || stated->value.none()) return;
    const SharedStack stack = costs_.stacks->run(
        block.trained(),
        {costs_.framework, costs_.parallelism, block.precision, costs_.platform.accelerator.fp8_any_layout});
    if (stack->unit == LoadUnit::Patch && stated->value.whole_step())
      add(pointer,
          "no encoder under CUDA graphs over the step, whose tensors keep their sizes: graphs over "
          "layers leave it out",
          "an encoder of images");
    for (const Layer& layer : stack->layers)
      for (const Operator& op : layer.operators)
        if (op.captured && op.kernels.waits > 0)
          return add(pointer,
                     "no CUDA graphs over \"" + std::string(op.name) +
                         "\", at which the host waits for the device (waits): "
                         "[\"attn\", \"moe_router\", \"moe_preprocess\"] leave experts out",
                     words(stated->value));
  }

  // The formats that this platform multiplies.
  std::string formats() const {
    const Accelerator& device = costs_.platform.accelerator;
    return std::string("BF16") + (device.fp8_peak ? ", FP8" : "") + (device.fp4_peak ? ", FP4" : "");
  }

  void precision(const std::string& pointer, const Precision& precision) {
    const Accelerator& device = costs_.platform.accelerator;
    const auto refuse = [&](const char* key, const char* rate) {
      add(pointer + key,
          "no such key: " + costs_.platform.name + " states no " + rate + ", only rates of " + formats(),
          "the key");
    };
    if (precision.fp8 && !device.fp8_peak) refuse("/fp8", "fp8_tflops");
    if (precision.fp4 && !device.fp4_peak) refuse("/fp4", "fp4_tflops");
    if (precision.fp8_attention && !device.fp8_peak) refuse("/fp8_dot_product_attention", "fp8_tflops");
    const Parallelism& p = costs_.parallelism;
    const bool none = p.states.main_params == Bytes();
    if (!p.main_remainders && !none) return;
    const char* found = none ? "none" : "remainder";
    if (p.data == DataParallel::Zero3 && costs_.framework.sharding.main_weights())
      add("/parallel/main_params_dtype", "fp32 or fp16, since the framework keeps no BF16 weights", found);
    if (precision.primary_weights)
      add("/parallel/main_params_dtype", "fp32 or fp16, since a block keeps no BF16 weights", found);
  }

  void efficiency(const std::string& pointer, std::optional<double> value) {
    if (value && !(*value > 0 && *value <= 1))
      add(pointer, "more than 0 and at most 1", std::to_string(*value));
  }

  void stack(std::size_t i, const std::string& pointer, const LayerStack& stack) {
    const std::uint32_t layers = model_.blocks()[i].layers;
    if (stack.layers.size() != layers) {
      add(pointer + "/layers", std::to_string(stack.layers.size()), std::to_string(layers));
    }
    for (Violation& found : check_split(costs_.blocks[i], costs_.parallelism)) {
      found.expected += " of block \"" + model_.blocks()[i].name + '"';
      violations_.push_back(std::move(found));
    }
    any_experts_ |= stack.unit == LoadUnit::Token && stack.routed_experts > 0;
    if (const std::size_t to = fed_block(model_, i); to < costs_.blocks.size())
      passes_on(pointer, stack, *costs_.stacks->trained({costs_.blocks[to].architecture}));
  }

  // An encoder's features join the sequence of the block after it.
  void passes_on(const std::string& pointer, const LayerStack& from, const LayerStack& to) {
    if (to.unit == LoadUnit::Patch || from.output_width == to.width) return;
    add(pointer, "an output as wide as the next block, " + std::to_string(to.width),
        std::to_string(from.output_width));
  }

  const AnalyticCosts& costs_;
  const Model& model_;
  const Pipeline& pipeline_;
  bool any_experts_ = false;
  std::vector<Violation> violations_;
};

std::optional<ImageFlops> image_flops(const Architecture& architecture, LayerStacks& stacks) {
  if (std::holds_alternative<TextModel>(architecture)) return std::nullopt;
  const SharedStack stack = stacks.trained({architecture});
  if (stack->unit == LoadUnit::Token) return std::nullopt;
  const LayerCost whole = cost_of(stack->layers);
  return ImageFlops{whole.weights_per_token + whole.mixing_per_token, whole.mixing_per_pair, stack->modality};
}

}  // namespace

DeviceGrid device_grid(const AnalyticCosts& costs, const Pipeline& pipeline) {
  return {pipeline.ranks, pipeline.replicas * costs.equal_replicas, costs.parallelism.members(),
          costs.first_device};
}

bool replicas_lie_alike(const AnalyticCosts& costs, const Pipeline& pipeline) {
  const DeviceGrid grid = device_grid(costs, pipeline);
  const std::uint32_t of_rank = grid.replicas * grid.members;
  return std::all_of(costs.platform.tiers.begin(), costs.platform.tiers.end(), [&](const Tier& tier) {
    return tier.devices >= grid.device_count() || tier.devices % of_rank == 0 || of_rank % tier.devices == 0;
  });
}

std::vector<Violation> check_analytic(const AnalyticCosts& costs, const Model& model,
                                      const Pipeline& pipeline) {
  return Check(costs, model, pipeline).run();
}

std::vector<Violation> check_split(const BlockCosts& block, const Parallelism& parallel) {
  const LayerStack stack = layer_stack(block.architecture);
  return SplitCheck(stack, stack.unit == LoadUnit::Token ? parallel : parallel.of_encoder()).run();
}

std::vector<Violation> check_needs(const AnalyticCosts& costs, const Schedule& schedule) {
  const auto one = std::ranges::find_if(schedule.skeletons, needs_experts);
  if (one == schedule.skeletons.end()) return {};
  std::vector<Violation> violations;
  const auto refuse = [&](const std::string& instead, const std::string& found) {
    violations.push_back({"", "/schedule", instead + " for " + to_string(*one), found});
  };
  bool experts = false, again = false;
  for (const BlockCosts& block : costs.blocks) {
    if (routed_experts(block.architecture) == 0) continue;
    experts = true;
    again |= block.recompute.what == Recompute::Full || block.recompute.modules.meets(Module::Experts);
  }
  const Parallelism& parallel = costs.parallelism;
  if (!experts)
    refuse("a block with experts, whose all-to-alls can hide,", "none");
  else if (parallel.expert == 1)
    refuse("\"parallel/expert\" above 1, so that there are all-to-alls to hide,", "1");
  if (experts && parallel.expert > 1 && parallel.dispatch == ExpertDispatch::AllGather)
    refuse("\"parallel/dispatch\" per-expert or per-node, as in Megatron-LM,", "all-gather");
  if (again)
    refuse("\"recompute\" of modules other than moe, as in Megatron-LM,",
           "full or moe in a block with experts");
  return violations;
}

std::vector<std::uint32_t> joined_replicas(const AnalyticCosts& costs) {
  std::vector<std::uint32_t> joined;
  for (const BlockCosts& block : costs.blocks) {
    const bool experts = routed_experts(block.architecture) > 0;
    joined.push_back(experts ? joined_replicas(costs.parallelism) : 1);
  }
  return joined;
}

DrawLoads draw_loads(const AnalyticCosts& costs, const Draw& draw) {
  std::vector<std::optional<ImageFlops>> encoders;
  for (const BlockCosts& block : costs.blocks)
    encoders.push_back(image_flops(block.architecture, *costs.stacks));
  return DrawLoads(draw, costs.parallelism.members(), costs.parallelism.image_sharers(), encoders,
                   DocumentRule::of(costs.framework));
}

}  // namespace spillway
