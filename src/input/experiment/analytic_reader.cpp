// Reads blocks stated by architecture, on a platform, with images and text drawn from traces.
#include <algorithm>
#include <array>
#include <utility>

#include "cost/placement.h"
#include "experiment/encoder_images.h"
#include "input/architecture/architecture_reader.h"
#include "input/architecture/resize_rules.h"
#include "input/experiment/activations_reader.h"
#include "input/experiment/adapters_reader.h"
#include "input/experiment/blocks.h"
#include "input/experiment/measured_rows.h"
#include "input/experiment/precision_reader.h"
#include "input/experiment/workload_reader.h"
#include "input/platform/framework_reader.h"
#include "input/platform/platform_reader.h"
#include "json/named_file.h"
#include "json/settings.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostDevices = 1U << 20;  // devices of one group
constexpr Range kImbalance{.at_least = 1, .expected = "a number of at least 1"};

struct AnalyticBlock {
  Block block;
  BlockCosts costs;
  EncoderRules rules;  // of a tower
};

struct ReadArchitecture {
  Architecture architecture;
  std::uint32_t layers;
  std::string family;  // model_type
  EncoderRules rules;
};

// A platform with its fitted operator tables. Fitting takes far longer than the rest of reading.
struct ReadPlatform {
  Platform platform;
  OperatorTimes operator_times;
};

using AttentionWord = std::pair<std::string_view, bool>;
constexpr std::array<AttentionWord, 2> kAttention = {{{"fused", true}, {"unfused", false}}};
using ModalityWord = std::pair<std::string_view, Modality>;
constexpr std::array<ModalityWord, 2> kModalities = {
    {{"vision", Modality::Vision}, {"audio", Modality::Audio}}};
using ContextWord = std::pair<std::string_view, ContextBy>;
constexpr std::array<ContextWord, 2> kContextBy = {
    {{"ring", ContextBy::Ring}, {"ulysses", ContextBy::Ulysses}}};
using PlacementWord = std::pair<std::string_view, Placement>;
constexpr std::array<PlacementWord, 2> kPlacement = {
    {{"aligned", Placement::Aligned}, {"packed", Placement::Packed}}};

using OptimizerWord = std::pair<std::string_view, OptimizerPlace>;
constexpr std::array<OptimizerWord, 2> kOptimizerPlaces = {
    {{"device", OptimizerPlace::Device}, {"swapped", OptimizerPlace::Swapped}}};

using OverlapWord = std::pair<std::string_view, TensorOverlap>;
constexpr std::array<OverlapWord, 3> kTensorOverlap = {
    {{"none", TensorOverlap::None}, {"backward", TensorOverlap::Backward}, {"all", TensorOverlap::All}}};

Efficiency read_efficiency(const Fields& block) {
  Efficiency efficiency;
  const std::optional<Place> place = block.at("efficiency");
  if (!place) return efficiency;
  const Fields fields(*place, {"compute", "memory"});
  const auto read_one = [](const Place& p) { return read_number(p, kEfficiency); };
  efficiency.compute = fields.get("compute", read_one);
  efficiency.memory = fields.get("memory", read_one);
  return efficiency;
}

ArchitectureOptions read_architecture_options(const Fields& block) {
  ArchitectureOptions options;
  options.layers = block.get("layers", [](const Place& p) { return read_count(p, 1, kMostLayersOfABlock); });
  options.multi_token_prediction = block.get("multi_token_prediction", read_boolean).value_or(false);
  options.separate_vocabulary = block.get("separate_vocabulary", read_boolean).value_or(false);
  options.modality =
      block.get("modality", [](const Place& p) { return read_choice<Modality>(p, kModalities); });
  options.fused_attention =
      block.get("attention", [](const Place& p) { return read_choice<bool>(p, kAttention); }).value_or(true);
  return options;
}

ReadArchitecture read_configured(const std::string& path, Role role, const ArchitectureOptions& options,
                                 const Files& files) {
  ReadArchitecture read{read_architecture(path, role, options, files), 0, model_type_of(path, files), {}};
  read.layers = layer_count(read.architecture);
  if (const auto* tower = std::get_if<VisionTower>(&read.architecture))
    read.rules.vision = read_resize_rule(path, *tower, files);
  if (const auto* tower = std::get_if<AudioTower>(&read.architecture)) read.rules.audio = tower->rule;
  return read;
}

constexpr std::array<std::string_view, 21> kArchitectureBlockKeys = {{"multi_token_prediction",
                                                                      "separate_vocabulary",
                                                                      "recompute_together",
                                                                      "recompute_layers",
                                                                      "recompute_every",
                                                                      "architecture",
                                                                      "lora_targets",
                                                                      "lora_dropout",
                                                                      "efficiency",
                                                                      "trainable",
                                                                      "recompute",
                                                                      "lora_rank",
                                                                      "attention",
                                                                      "modality",
                                                                      "fixed_ms",
                                                                      "fixed_in",
                                                                      "offload",
                                                                      "layers",
                                                                      "feeds",
                                                                      "name",
                                                                      "role"}};
constexpr std::array<std::string_view, 5> kKeysOfAProfile = {
    "profile", "work_per_microbatch", "backward_work_per_microbatch", "measured_work", "image_work"};

std::optional<AnalyticBlock> read_analytic_block(const Place& place) {
  std::vector<std::string_view> known(kArchitectureBlockKeys.begin(), kArchitectureBlockKeys.end());
  known.insert(known.end(), kKeysOfAProfile.begin(), kKeysOfAProfile.end());
  known.insert(known.end(), kPrecisionKeys.begin(), kPrecisionKeys.end());
  const Fields fields(place, known);
  for (const std::string_view key : kKeysOfAProfile)
    fields.forbid(key, "no such key, since blocks have architectures");
  auto block = read_block(fields);
  const ArchitectureOptions options = read_architecture_options(fields);
  const auto read = fields.need("architecture", [&](const Place& p) -> std::optional<ReadArchitecture> {
    if (!block) return std::nullopt;
    return read_named_file(p, read_configured, block->role, options);
  });
  const Efficiency efficiency = read_efficiency(fields);
  const auto fixed = fields.get("fixed_ms", [](const Place& p) { return read_number(p, kNotNegative); });
  const auto fixed_in =
      fields.get("fixed_in", [](const Place& p) { return read_choice<FixedIn>(p, kFixedIns); });
  const Recomputation recompute = read_recomputation(fields);
  const Offload offload = fields.get("offload", read_offload).value_or(Offload());
  const Precision precision = read_precision(fields);
  const Adapters adapters =
      read_adapters(fields, read ? &read->architecture : nullptr, !block || block->trainable);
  if (!block || !read) return std::nullopt;
  block->layers = read->layers;
  if (const std::uint64_t exempt = std::uint64_t{precision.start_in_bf16} + precision.end_in_bf16;
      exempt > read->layers) {
    fields.findings().add(
        child(place.pointer, "num_layers_at_end_in_bf16"),
        "with num_layers_at_start_in_bf16 at most the block's " + std::to_string(read->layers) + " layers",
        std::to_string(exempt));
    return std::nullopt;
  }
  return AnalyticBlock{*std::move(block),
                       BlockCosts{.architecture = read->architecture,
                                  .family = read->family,
                                  .efficiency = efficiency,
                                  .recompute = recompute,
                                  .fixed_per_microbatch = milliseconds(fixed.value_or(0.0)),
                                  .fixed_in = fixed_in.value_or(FixedIn::Layers),
                                  .precision = precision,
                                  .adapters = adapters,
                                  .offload = offload},
                       read->rules};
}

std::optional<Parallelism> read_parallelism(const Place& place) {
  std::vector<std::string_view> known = {"tensor",
                                         "context",
                                         "expert",
                                         "data",
                                         "sequence_parallel",
                                         "tensor_overlap",
                                         "expert_imbalance",
                                         "dispatch",
                                         "fp8_dispatch",
                                         "placement",
                                         "optimizer",
                                         "expert_tensor",
                                         "context_by",
                                         "images",
                                         "reshard_after_forward",
                                         "data_parallel_shard_degree"};
  known.insert(known.end(), kOptimizerStateKeys.begin(), kOptimizerStateKeys.end());
  const Fields fields(place, known);
  const auto read_devices = [](const Place& p) { return read_count(p, 1, kMostDevices); };
  Parallelism parallelism;
  parallelism.tensor = fields.get("tensor", read_devices).value_or(parallelism.tensor);
  parallelism.context = fields.get("context", read_devices).value_or(parallelism.context);
  parallelism.expert = fields.get("expert", read_devices).value_or(parallelism.expert);
  parallelism.expert_tensor = fields.get("expert_tensor", read_devices).value_or(parallelism.expert_tensor);
  parallelism.context_by =
      fields.get("context_by", [](const Place& p) { return read_choice<ContextBy>(p, kContextBy); })
          .value_or(parallelism.context_by);
  parallelism.images =
      fields.get("images", [](const Place& p) { return read_choice<EncoderImages>(p, kEncoderImages); })
          .value_or(parallelism.images);
  parallelism.data =
      fields.get("data", [](const Place& p) { return read_choice<DataParallel>(p, kDataParallels); })
          .value_or(parallelism.data);
  parallelism.sequence_parallel =
      fields.get("sequence_parallel", [](const Place& p) { return read_boolean(p); })
          .value_or(parallelism.sequence_parallel);
  parallelism.tensor_overlap =
      fields
          .get("tensor_overlap", [](const Place& p) { return read_choice<TensorOverlap>(p, kTensorOverlap); })
          .value_or(parallelism.tensor_overlap);
  parallelism.expert_imbalance =
      fields.get("expert_imbalance", [](const Place& p) { return read_number(p, kImbalance); })
          .value_or(parallelism.expert_imbalance);
  parallelism.routing_stated = fields.at("expert_imbalance").has_value();
  parallelism.dispatch =
      fields.get("dispatch", [](const Place& p) { return read_choice<ExpertDispatch>(p, kExpertDispatches); })
          .value_or(parallelism.dispatch);
  parallelism.fp8_dispatch = fields.get("fp8_dispatch", read_boolean).value_or(parallelism.fp8_dispatch);
  parallelism.placement =
      fields.get("placement", [](const Place& p) { return read_choice<Placement>(p, kPlacement); })
          .value_or(parallelism.placement);
  parallelism.optimizer =
      fields.get("optimizer", [](const Place& p) { return read_choice<OptimizerPlace>(p, kOptimizerPlaces); })
          .value_or(parallelism.optimizer);
  parallelism.reshard_after_forward =
      fields.get("reshard_after_forward", read_boolean).value_or(parallelism.reshard_after_forward);
  parallelism.shard_degree =
      fields.get("data_parallel_shard_degree", read_devices).value_or(parallelism.shard_degree);
  read_optimizer_states(fields, parallelism);
  return parallelism;
}

EncoderRules encoder_rules(const std::vector<AnalyticBlock>& blocks) {
  std::vector<EncoderRules> rules;
  for (const AnalyticBlock& block : blocks)
    if (block.block.role == Role::Encoder) rules.push_back(block.rules);
  return first_of_each(rules);
}

// A tower reads no other tower's output.
void require_beside(const std::vector<AnalyticBlock>& blocks, Findings& findings) {
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    const bool towers = blocks[i].rules.any() && blocks[i + 1].rules.any();
    if (towers && !blocks[i].block.beside_next &&
        blocks[i].rules.audio.has_value() != blocks[i + 1].rules.audio.has_value())
      findings.add("/model/blocks/" + std::to_string(i) + "/feeds",
                   "the name of the block behind the towers, since a tower does not read another's output",
                   "the next block, " + describe({blocks[i + 1].block.name}));
  }
}

// A key under which an experiment changes a file that it names.
struct Changed {
  const char* key;  // "platform_set"
  const char* what;

  Object read(const Fields& experiment) const {
    const std::optional<Place> place = experiment.at(key);
    if (!place) return {};
    if (const auto* changes = std::get_if<Object>(&place->node->value)) return *changes;
    place->refuse("an object with values by JSON pointer into the " + std::string(what) + " file");
    return {};
  }
};
constexpr Changed kChangedPlatform{"platform_set", "platform"};
constexpr Changed kChangedFramework{"framework_set", "framework"};

ReadPlatform fitted(const Platform& platform) {
  return {platform, OperatorTimes(platform.accelerator)};
}

ReadPlatform read_platform_file(const std::string& path, const Object& changes, const Files& files) {
  return fitted(read_platform(path, changes, files));
}

// A violation that a change of the experiment causes is reported at that change; the file itself is
// unchanged.
Violation blamed(const Violation& violation, const Changed& set, const Object& changes,
                 const std::string& experiment) {
  const std::string pointer = child("", set.key);
  for (const Member& change : changes)
    if (const auto below = wrong_below(violation, change.key))
      return {experiment, child(pointer, change.key) + *below, violation.expected, violation.found};
  return {experiment, pointer, violation.expected + " at " + violation.pointer + " of the " + set.what,
          violation.found};
}

// Reads the file that `place` names, with the experiment's changes.
template <class Read>
auto read_with_changes(const Place& place, const Fields& experiment, const Changed& set, Read read_file) {
  const Object changes = set.read(experiment);
  if (changes.empty()) return read_named_file(place, read_file, changes);
  Findings changed(place.findings->file()), untouched(place.findings->file());
  auto read = read_named_file(Place{place.node, place.pointer, &changed, place.files}, read_file, changes);
  if (read) return read;
  read_named_file(Place{place.node, place.pointer, &untouched, place.files}, read_file, Object());
  for (const Violation& violation : changed.all())
    place.findings->add(std::vector{
        untouched.has(violation) ? violation : blamed(violation, set, changes, place.findings->file())});
  return read;
}

// Returns true if the platform or framework is part of the experiment, which then may state no changes.
bool is_written_out(const Place& place, const Fields& experiment, const Changed& set) {
  if (!std::holds_alternative<Object>(place.node->value)) return false;
  if (const auto changes = experiment.at(set.key); changes && changes->node->value == Node{Object()}.value)
    return true;
  experiment.forbid(set.key,
                    "no such key, since the " + std::string(set.what) + " is part of the experiment");
  return true;
}

// Reads a path, or the platform itself.
std::optional<ReadPlatform> read_path_or_platform(const Place& place, const Fields& experiment) {
  if (!is_written_out(place, experiment, kChangedPlatform))
    return read_with_changes(place, experiment, kChangedPlatform, read_platform_file);
  const std::optional<Platform> platform = read_platform(place);
  return platform ? std::optional(fitted(*platform)) : std::nullopt;
}

std::optional<Framework> read_path_or_framework(const Place& place, const Fields& experiment) {
  if (is_written_out(place, experiment, kChangedFramework)) return read_framework(place);
  const auto read_file = [](const std::string& path, const Object& changes, const Files& files) {
    return read_framework(path, changes, files);
  };
  return read_with_changes(place, experiment, kChangedFramework, read_file);
}

// Checks that the framework runs on the platform's accelerator. Violations of a framework in a file are
// reported at its name.
void require_runs(const Framework& framework, const Platform& platform, const Fields& experiment) {
  const std::optional<Place> place = experiment.at("framework");
  const auto* named = place ? std::get_if<std::string>(&place->node->value) : nullptr;
  std::vector<Violation> found = check_framework(framework, platform.accelerator);
  for (Violation& violation : found) {
    if (!named) continue;
    violation.found += " at " + std::exchange(violation.pointer, "") + " of " + *named;
  }
  Findings& findings = experiment.findings();
  findings.add(located(std::move(found), findings.file(), "/framework"));
}

// Each device of a context-parallel group needs at least one token. Unpacked sequences are as long as drawn.
void require_tokens_for_each(const Parallelism& parallelism, const WorkloadSpec& workload,
                             Findings& findings) {
  if (workload.packing == Packing::Unpacked || parallelism.context <= workload.sequence_tokens) return;
  findings.add("/parallel/context",
               "at most the " + std::to_string(workload.sequence_tokens) + " tokens of a sequence",
               std::to_string(parallelism.context));
}

// The pointers of check_analytic are those of the experiment.
bool can_be_priced(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline,
                   Findings& findings) {
  std::vector<Violation> violations = check_analytic(costs, model, pipeline);
  const bool fine = violations.empty();
  findings.add(std::move(violations));
  return fine;
}

}  // namespace

std::optional<ReadModel> read_analytic(const Fields& experiment, const std::optional<Pipeline>& pipeline) {
  const auto platform = experiment.need(
      "platform", [&](const Place& place) { return read_path_or_platform(place, experiment); });
  const auto framework = experiment.get(
      "framework", [&](const Place& place) { return read_path_or_framework(place, experiment); });
  if (!experiment.at("framework")) experiment.forbid("framework_set", "no such key without a framework");
  if (framework && platform) require_runs(*framework, platform->platform, experiment);
  const auto parallelism = experiment.get("parallel", read_parallelism);
  const auto read = read_blocks(experiment, read_analytic_block);
  const auto workload = experiment.need("workload", [&](const Place& place) {
    return read_workload(place, read ? encoder_rules(*read) : EncoderRules{});
  });
  if (read) require_beside(*read, experiment.findings());
  if (parallelism && workload) require_tokens_for_each(*parallelism, *workload, experiment.findings());
  if (!platform || !read || !workload) return std::nullopt;
  AnalyticExperiment analytic{{platform->platform,
                               parallelism.value_or(Parallelism{}),
                               {},
                               platform->operator_times,
                               framework.value_or(Framework{})},
                              *workload};
  AnalyticCosts& costs = analytic.costs;
  std::vector<Block> blocks;
  for (const AnalyticBlock& block : *read) {
    blocks.push_back(block.block);
    costs.blocks.push_back(block.costs);
  }
  Model model(std::move(blocks));
  if (!pipeline || !can_be_priced(costs, model, *pipeline, experiment.findings())) return std::nullopt;
  align(costs, *pipeline);
  if (const auto measured = experiment.at("measured")) read_measured(*measured, model, costs);
  return ReadModel{std::move(model), std::move(analytic)};
}

}  // namespace spillway
