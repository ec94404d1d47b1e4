// Stages as megatron/core/transformer/transformer_block.py (get_num_layers_to_build) and
// pipeline_parallel_layer_layout.py build them, NVIDIA/Megatron-LM @d98e8a64dd.
// Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/layout.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/text.h"

namespace spillway {
namespace {

constexpr std::uint64_t kMostStages = 1U << 20;
constexpr std::string_view kLayout = "--pipeline-model-parallel-layout";

std::uint32_t size_or_one(Arguments& arguments, std::string_view name) {
  return arguments.whole(name).value_or(1);
}

class LayoutArguments {
 public:
  LayoutArguments(Arguments& arguments, MegatronFlavour flavour, const LayerCounts& layers)
      : arguments_(arguments), flavour_(flavour), layers_(layers) {}

  MegatronLayout run(std::optional<std::uint32_t> devices, bool has_experts) {
    layout_.tensor = size_or_one(arguments_, "--tensor-model-parallel-size");
    layout_.pipeline = size_or_one(arguments_, "--pipeline-model-parallel-size");
    layout_.context = size_or_one(arguments_, "--context-parallel-size");
    layout_.expert = size_or_one(arguments_, "--expert-model-parallel-size");
    const std::uint32_t split = flavour_ == MegatronFlavour::Swift ? 1 : layout_.tensor;
    const auto expert_tensor = arguments_.whole("--expert-tensor-parallel-size");
    layout_.expert_tensor = has_experts ? expert_tensor.value_or(split) : 1;
    read_batch(devices);
    read_schedule();
    if (static_cast<std::uint64_t>(layout_.pipeline) * stages_per_rank() > kMostStages)
      arguments_.refuse("--pipeline-model-parallel-size", "at most 1,048,576 stages", "more");
    else if (layers_.decoder > 0)
      read_stages();
    return layout_;
  }

 private:
  std::uint32_t stages_per_rank() const { return layout_.dualpipev ? 2 : layout_.chunks; }

  void read_batch(std::optional<std::uint32_t> devices) {
    const bool swift = flavour_ == MegatronFlavour::Swift;
    const auto size = arguments_.whole("--micro-batch-size");
    if (!size && !swift && !arguments_.has("--micro-batch-size"))
      arguments_.ask_for("--micro-batch-size", "sequences of a microbatch");
    layout_.microbatch_size = size.value_or(1);
    layout_.packs = !swift || arguments_.flag("--packing");
    const std::string_view longest = swift ? "--max-length" : "--seq-length";
    // It is --max-length unless given.
    const std::string_view length =
        layout_.packs && arguments_.has("--packing-length") ? "--packing-length" : longest;
    const auto tokens = arguments_.whole(length);
    if (!tokens && !arguments_.has(length)) arguments_.ask_for(length, "tokens of a sequence");
    layout_.sequence_tokens = tokens.value_or(1);
    if (!devices) return;
    const std::uint64_t model = std::uint64_t{layout_.tensor} * layout_.pipeline * layout_.context;
    if (*devices % model != 0)
      return arguments_.findings().add(
          "the launcher", "a multiple of tensor x pipeline x context = " + std::to_string(model) + " devices",
          std::to_string(*devices));
    layout_.replicas = static_cast<std::uint32_t>(*devices / model);
    const std::uint64_t at_once = std::uint64_t{layout_.microbatch_size} * layout_.replicas;
    const std::uint64_t steps = size_or_one(arguments_, "--gradient-accumulation-steps");
    const auto stated = arguments_.whole("--global-batch-size");
    const std::uint64_t batch = stated ? *stated : swift ? 16 : at_once * steps;
    if (batch % at_once != 0)
      return arguments_.refuse("--global-batch-size",
                               "a multiple of microbatch size x replicas = " + std::to_string(at_once),
                               std::to_string(batch));
    layout_.microbatches = static_cast<std::uint32_t>(batch / at_once);
  }

  void read_schedule() {
    if (const auto method = arguments_.word("--schedules-method")) {
      layout_.dualpipev = *method == "dualpipev";
      if (!layout_.dualpipev) arguments_.refuse("--schedules-method", "dualpipev", '"' + *method + '"');
    }
    layout_.overlaps_experts =
        arguments_.flag("--overlap-moe-expert-parallel-comm") || arguments_.flag("--moe-fb-overlap");
    layout_.microbatch_group = arguments_.whole("--microbatch-group-size-per-virtual-pipeline-stage");
    if (!layout_.microbatch_group)  // ms-swift's name
      layout_.microbatch_group = arguments_.whole("--microbatch-group-size-per-vp-stage");
    layout_.chunks = chunks();
    const bool may_overlap = !arguments_.flag("--no-overlap-p2p-communication");
    layout_.blocks_transfers = layout_.chunks == 1 || !may_overlap;
  }

  // --pipeline-model-parallel-layout states them by its stages.
  std::uint32_t chunks() {
    const auto per_stage = arguments_.whole("--num-layers-per-virtual-pipeline-stage");
    auto chunks = arguments_.whole("--num-virtual-stages-per-pipeline-rank");
    if (!chunks) chunks = arguments_.whole("--virtual-pipeline-model-parallel-size");
    if (chunks && per_stage)
      arguments_.refuse("--num-layers-per-virtual-pipeline-stage",
                        "no such argument beside the number of virtual stages", std::to_string(*per_stage));
    if (chunks || !per_stage || layers_.decoder == 0) return chunks.value_or(1);
    const std::uint64_t divisor = std::uint64_t{layout_.pipeline} * *per_stage;
    const std::uint32_t counted = layers_.decoder + accounted();
    if (counted % divisor == 0 && counted > 0) return static_cast<std::uint32_t>(counted / divisor);
    arguments_.refuse("--num-layers-per-virtual-pipeline-stage",
                      "a number that with the pipeline size divides " + counted_layers(counted),
                      std::to_string(*per_stage));
    return 1;
  }
  static std::string counted_layers(std::uint32_t count) { return spillway::counted(count, "layer"); }

  std::uint32_t accounted() {
    return (arguments_.flag("--account-for-embedding-in-pipeline-split") ? 1U : 0U) +
           (arguments_.flag("--account-for-loss-in-pipeline-split") ? 1U : 0U);
  }

  void read_stages() {
    if (arguments_.has(kLayout)) {
      if (accounted() > 0)
        arguments_.refuse(kLayout, "no layout beside layers that embedding or loss count as", "both");
      read_layout_text();
      if (flavour_ != MegatronFlavour::MindSpeed) return;
    } else {
      split_evenly();
    }
    drop_noop();
    expect_work();
  }

  void read_layout_text() {
    const auto text = arguments_.word(kLayout);
    if (!text) return;
    const Findings& findings = arguments_.findings();
    const std::size_t before = findings.all().size();
    std::string place;
    for (const LaunchArgument& argument : arguments_.all())
      if (argument.name == kLayout) place = place_of(argument);
    layout_.stages = read_pipeline_layout(*text, place, arguments_.findings());
    if (findings.all().size() > before) return;
    layout_.separate_vocabulary = true;
    if (layout_.stages.size() % layout_.pipeline != 0)
      return arguments_.refuse(
          kLayout, "a multiple of the pipeline size, " + std::to_string(layout_.pipeline) + ", as stages",
          std::to_string(layout_.stages.size()));
    layout_.chunks = static_cast<std::uint32_t>(layout_.stages.size() / layout_.pipeline);
    layout_.blocks_transfers = layout_.chunks == 1 || arguments_.has("--no-overlap-p2p-communication");
    check_layout_text();
    expect_work();
  }

  void expect_count(std::string_view what, std::uint64_t expected, std::uint64_t found) {
    if (expected != found)
      arguments_.refuse(kLayout, std::to_string(expected) + ' ' + std::string(what), std::to_string(found));
  }
  void check_layout_text() {
    const auto sum = [&](std::uint32_t StageParts::*part) {
      std::uint64_t total = 0;
      for (const StageParts& stage : layout_.stages) total += stage.*part;
      return total;
    };
    expect_count("t, as --num-layers states", layers_.decoder, sum(&StageParts::decoder));
    expect_count("m, as --mtp-num-layers states", layers_.prediction, sum(&StageParts::prediction));
    expect_count("E", 1, sum(&StageParts::embedding));
    expect_count("L", 1, sum(&StageParts::loss));
    if (layout_.stages.front().embedding != 1) arguments_.refuse(kLayout, "E in the first stage", "none");
    if (layout_.stages.back().loss != 1) arguments_.refuse(kLayout, "L in the last stage", "none");
  }

  // Layers of each pipeline rank, first to last.
  std::vector<std::uint32_t> layers_of_ranks() {
    if (layout_.pipeline == 1) arguments_.pass_over("--num-layer-list");  // it is not looked at
    if (arguments_.has("--num-layer-list") && layout_.pipeline > 1) return listed_layers();
    const std::uint32_t ranks = layout_.pipeline;
    const auto first = arguments_.whole("--decoder-first-pipeline-num-layers");
    const auto last = arguments_.whole("--decoder-last-pipeline-num-layers");
    const std::uint32_t given = first.value_or(0) + last.value_or(0);
    const std::uint32_t others = ranks - (first ? 1U : 0U) - (last ? 1U : 0U);
    const std::uint32_t rest = layers_.decoder + accounted() - given;
    const bool fits = given <= layers_.decoder + accounted() &&
                      (first ? 1U : 0U) + (last ? 1U : 0U) <= ranks &&
                      (others == 0 ? rest == 0 : rest % others == 0);
    if (!fits) {
      arguments_.refuse("--num-layers",
                        "layers that the " + counted(std::max(others, 1U), "pipeline rank") +
                            " without a stated number share evenly",
                        std::to_string(rest) + " of " + std::to_string(layers_.decoder));
      return {};
    }
    std::vector<std::uint32_t> layers(ranks, others == 0 ? 0 : rest / others);
    if (first) layers.front() = *first;
    if (last) layers.back() = *last;
    return layers;
  }

  // MindSpeed's --num-layer-list 17,20,22,21.
  std::vector<std::uint32_t> listed_layers() {
    constexpr std::string_view kList = "--num-layer-list";
    std::vector<std::uint32_t> layers;
    std::uint64_t sum = 0;
    const auto text = arguments_.word(kList);
    for (const std::string_view part : split(text ? std::string_view(*text) : std::string_view(), ',')) {
      std::uint32_t count = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), count);
      if (error == std::errc() && end == part.data() + part.size()) layers.push_back(count);
      sum += count;
    }
    if (!text || (layers.size() == layout_.pipeline && sum == layers_.decoder)) return layers;
    arguments_.refuse(
        kList,
        std::to_string(layout_.pipeline) + " numbers that add up to " + std::to_string(layers_.decoder),
        '"' + *text + '"');
    return {};
  }

  void split_evenly() {
    const std::vector<std::uint32_t> ranks = layers_of_ranks();
    const std::uint32_t per_rank = stages_per_rank();
    for (const std::uint32_t layers : ranks)
      if (layers % per_rank != 0)
        return arguments_.refuse("--num-layers",
                                 "layers of each rank in " + std::to_string(per_rank) + " equal stages",
                                 std::to_string(layers) + " of a rank");
    if (ranks.empty()) return;
    layout_.stages.resize(ranks.size() * per_rank);
    for (std::size_t stage = 0; stage < layout_.stages.size(); ++stage)
      layout_.stages[stage].decoder = ranks[rank_of(stage, ranks.size())] / per_rank;
    StageParts &first = layout_.stages[stages_of_encoder()], &last = layout_.stages.back();
    first.embedding = last.loss = 1;
    last.prediction = layers_.prediction;
    if (arguments_.flag("--account-for-embedding-in-pipeline-split")) take_one(first);
    if (arguments_.flag("--account-for-loss-in-pipeline-split")) take_one(last);
  }
  // Under dualpipev the stages go down the ranks and up again.
  std::size_t rank_of(std::size_t stage, std::size_t ranks) const {
    if (layout_.dualpipev && stage >= ranks) return 2 * ranks - 1 - stage;
    return stage % ranks;
  }
  // Ranks at the beginning that hold layers of an encoder and nothing else.
  std::size_t stages_of_encoder() const {
    if (layers_.encoder.size() != layout_.stages.size()) return 0;
    std::size_t stage = 0;
    while (stage + 1 < layout_.stages.size() && layout_.stages[stage].decoder == 0) ++stage;
    return stage;
  }
  bool is_empty(std::size_t stage) const {
    const bool encodes = layers_.encoder.size() == layout_.stages.size() && layers_.encoder[stage] > 0;
    return layout_.stages[stage].all() == 0 && !encodes;
  }
  void take_one(StageParts& stage) {
    if (stage.decoder == 0) return arguments_.refuse("--num-layers", "a layer in each stage", "none in one");
    --stage.decoder;
  }

  // A noop layer computes nothing, and its stage has one layer less.
  void drop_noop() {
    std::uint32_t begin = 0;
    for (StageParts& stage : layout_.stages) {
      const std::uint32_t end = begin + stage.decoder;
      stage.decoder -= static_cast<std::uint32_t>(std::ranges::count_if(
          layers_.noop, [&](std::uint32_t layer) { return layer >= begin && layer < end; }));
      begin = end;
    }
  }

  void expect_work() {
    bool empty = false;
    for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
      const StageParts& stage = layout_.stages[i];
      if (stage.all() > 0 && stage.decoder + stage.prediction == 0) layout_.separate_vocabulary = true;
      empty |= is_empty(i);
    }
    if (!empty) return;
    arguments_.refuse(arguments_.has(kLayout) ? kLayout : "--num-layers",
                      "a layer, an embedding or a head in each stage", "a stage that holds nothing");
  }

  Arguments& arguments_;
  MegatronFlavour flavour_;
  const LayerCounts& layers_;
  MegatronLayout layout_ = {};
};

}  // namespace

MegatronLayout read_layout(Arguments& arguments, MegatronFlavour flavour,
                           std::optional<std::uint32_t> devices, const LayerCounts& layers,
                           bool has_experts) {
  return LayoutArguments(arguments, flavour, layers).run(devices, has_experts);
}

}  // namespace spillway
