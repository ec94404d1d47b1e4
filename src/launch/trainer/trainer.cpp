// Defaults: huggingface/transformers v4.57, training_args.py; hiyouga/LLaMA-Factory @ff6d4d12ee,
// src/llamafactory/hparams; modelscope/ms-swift @3602360a56, swift/trainers/arguments.py and swift/arguments.
// Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/trainer/trainer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "launch/command/images.h"
#include "launch/command/json_members.h"
#include "launch/trainer/model.h"
#include "launch/trainer/sharding.h"

namespace spillway {
namespace {

class TrainerReader {
 public:
  TrainerReader(Arguments& settings, TrainerFlavour flavour, const LaunchOptions& options)
      : settings_(settings), flavour_(flavour), options_(options) {}

  LaunchReading run(std::optional<std::uint32_t> devices) {
    TrainerModel model = read_trainer_model(settings_, flavour_, options_);
    TrainerSharding sharding = read_sharding(settings_);
    assumptions_ = std::move(model.assumptions);
    append(sharding.assumptions);
    read_batch(devices.value_or(1));
    read_precision();
    read_lengths(model);
    read_checkpoint(model);
    read_attention(model.backbone);
    read_adapters(model);
    if (model.encoder) add_member(model.encoder->keys, "trainable", model.trains_encoder);
    if (!model.trains_backbone) add_member(model.backbone.keys, "trainable", false);
    experiment_.framework = sharding.framework;
    for (Member& change : sharding.framework_set) experiment_.framework_set.push_back(std::move(change));
    experiment_.parallel = std::move(sharding.parallel);
    experiment_.encoder = std::move(model.encoder);
    experiment_.backbone = std::move(model.backbone);
    experiment_.config = std::move(model.config);
    return {std::string(name_of(flavour_)), std::move(experiment_), std::move(assumptions_)};
  }

 private:
  bool is(TrainerFlavour flavour) const { return flavour_ == flavour; }
  void append(const std::vector<std::string>& more) {
    assumptions_.insert(assumptions_.end(), more.begin(), more.end());
  }

  // The first of several names of one setting that is given; the first name of all otherwise.
  template <std::size_t N>
  std::string_view given(const std::array<std::string_view, N>& names) const {
    for (const std::string_view name : names)
      if (settings_.has(name)) return name;
    return names.front();
  }

  void read_batch(std::uint32_t devices) {
    size_ = settings_.whole("per_device_train_batch_size").value_or(is(TrainerFlavour::Swift) ? 1 : 8);
    std::uint32_t steps = 1;
    // ms-swift's default makes batches of 16.
    if (is(TrainerFlavour::Swift)) steps = std::max(1U, (16 + size_ * devices - 1) / (size_ * devices));
    experiment_.microbatches = settings_.whole("gradient_accumulation_steps").value_or(steps);
    experiment_.replicas = devices;
  }

  void read_precision() {
    const bool bf16 = settings_.flag("bf16");
    const bool fp16 = settings_.flag("fp16");
    const std::string mixed = lower(settings_.known_word("accelerate.mixed_precision").value_or(""));
    const std::string_view type_key = given(std::array<std::string_view, 2>{"torch_dtype", "dtype"});
    const std::string type = lower(settings_.known_word(type_key).value_or(""));
    settings_.known_word("deepspeed.bf16.enabled");
    settings_.known_word("deepspeed.fp16.enabled");
    const bool half = bf16 || mixed == "bf16" || type.ends_with("bfloat16") || is(TrainerFlavour::Swift);
    if (fp16 || mixed == "fp16") return assumptions_.push_back("FP16 is priced as BF16");
    if (!half)
      settings_.findings().add(
          "bf16", "bf16 or fp16, since training in FP32 is not priced (--argument \"bf16 true\")",
          "neither in the settings");
  }

  // The longest sequence, under the name that the program has for it.
  void read_lengths(const TrainerModel& model) {
    constexpr std::array<std::string_view, 5> kLengths{"cutoff_len", "model_max_length", "max_seq_length",
                                                       "max_length", "max_seq_len"};
    const std::string_view key = given(kLengths);
    auto tokens = settings_.whole(key);
    if (!tokens && !settings_.has(key) && is(TrainerFlavour::LlamaFactory)) tokens = 2048;
    const bool packs = read_packing();
    if (model.encoder && !packs) {
      settings_.changes_nothing(key);
      return read_images(model, {size_});
    }
    if (!tokens && !settings_.has(key)) settings_.ask_for(key, "tokens of a sequence");
    if (model.encoder) return read_images(model, packed_samples(tokens.value_or(1)));
    if (!packs)
      assumptions_.push_back("every sequence has " + std::string(key) +
                             " tokens, since samples are not packed");
    add_member(experiment_.workload, "sequence_tokens", tokens.value_or(1));
    add_member(experiment_.workload, "sequences_per_microbatch", size_);
  }

  bool read_packing() {
    bool packs = false;
    for (const std::string_view name : {"packing", "neat_packing", "data_packing"})
      packs |= settings_.flag(name);
    // Samples of a microbatch one behind the other, without padding.
    flat_ = packs;
    for (const std::string_view name : {"data_flatten", "padding_free"}) flat_ |= settings_.flag(name);
    return packs;
  }

  ImageSamples packed_samples(std::uint32_t tokens) {
    if (size_ > 1)
      settings_.findings().add("the size of a microbatch",
                               "1, where images and texts are packed into sequences", std::to_string(size_));
    return {1, tokens};
  }

  // Samples with images: neither the sizes nor the texts are in the settings.
  void read_images(const TrainerModel& model, const ImageSamples& samples) {
    read_pixels(model);
    experiment_.workload = image_workload(options_, rule_, samples, settings_.findings());
    assumptions_.push_back("every sample has " + counted(options_.images_per_sample, "image") +
                           ", and no sample is cut to the longest sequence");
    if (size_ > 1) add_padding();
  }

  // A collator pads to the longest sample, unless samples lie one behind the other.
  void add_padding() {
    Object pads;
    add_member(pads, "value", flat_ ? "none" : "microbatch");
    add_member(pads, "kind", "derived");
    add_member(pads, "source",
               flat_ ? "the settings' samples without padding (data_flatten, padding_free, packing)"
                     : "huggingface/transformers, DataCollatorForSeq2Seq: padding to the longest");
    add_member(experiment_.framework_set, "/pads_to", Node{std::move(pads)});
  }

  // Defaults: LLaMA-Factory's image_max_pixels is 768 x 768, Qwen-VL's max_pixels 576 patches of 28 x 28.
  void read_pixels(const TrainerModel& model) {
    const auto most =
        settings_.whole(given(std::array<std::string_view, 2>{"image_max_pixels", "max_pixels"}));
    const auto least =
        settings_.whole(given(std::array<std::string_view, 2>{"image_min_pixels", "min_pixels"}));
    if (!model.resizes) return;
    std::optional<std::uint32_t> upper = most, lower_bound = least;
    if (!upper && is(TrainerFlavour::LlamaFactory)) upper = 768 * 768;
    if (!upper && is(TrainerFlavour::QwenVl)) upper = 28 * 28 * 576;
    if (!lower_bound && is(TrainerFlavour::QwenVl)) lower_bound = 28 * 28 * 16;
    if (lower_bound) add_member(rule_, "min_pixels", *lower_bound);
    if (upper) add_member(rule_, "max_pixels", *upper);
  }

  void read_checkpoint(TrainerModel& model) {
    const bool by_default = is(TrainerFlavour::LlamaFactory) || is(TrainerFlavour::Swift);
    const std::string_view key =
        given(std::array<std::string_view, 2>{"gradient_checkpointing", "grad_checkpoint"});
    bool checkpoints = settings_.has(key) ? settings_.flag(key) : by_default;
    if (settings_.flag("disable_gradient_checkpointing")) checkpoints = false;
    checkpoints |= settings_.flag("accelerate.fsdp_config.fsdp_activation_checkpointing");
    bool tower = checkpoints;
    // InternVL's program always recomputes the tower; ms-swift has a setting for it.
    if (is(TrainerFlavour::InternVl)) tower = true;
    if (settings_.has("vit_gradient_checkpointing")) tower = settings_.flag("vit_gradient_checkpointing");
    if (checkpoints) add_member(model.backbone.keys, "recompute", "full");
    if (model.encoder && tower && model.trains_encoder && !settings_.has("vision_tower"))
      add_member(model.encoder->keys, "recompute", "full");
  }

  void read_attention(LaunchBlock& backbone) {
    const std::string_view key =
        given(std::array<std::string_view, 3>{"attn_implementation", "flash_attn", "attn_impl"});
    const std::string word = lower(settings_.known_word(key).value_or(""));
    const bool eager = word == "eager" || (key == "flash_attn" && word == "disabled");
    if (eager) add_member(backbone.keys, "attention", "unfused");
  }

  void read_adapters(TrainerModel& model) {
    const auto rank = adapter_rank();
    settings_.known_word("lora_alpha");
    const auto dropout = settings_.number("lora_dropout");
    if (is(TrainerFlavour::InternVl)) return read_internvl_adapters(model);
    if (!rank) return;
    add_member(model.backbone.keys, "lora_rank", *rank);
    const std::vector<std::string> targets = adapter_targets();
    if (!targets.empty()) add_member(model.backbone.keys, "lora_targets", list_node(targets));
    // peft's programs drop 5 % by default, LLaMA-Factory none.
    const double share = dropout.value_or(is(TrainerFlavour::LlamaFactory) ? 0 : 0.05);
    if (share > 0) add_member(model.backbone.keys, "lora_dropout", share);
  }

  std::optional<std::uint32_t> adapter_rank() {
    const std::string_view key =
        given(std::array<std::string_view, 4>{"finetuning_type", "tuner_type", "train_type", "sft_type"});
    const auto type = settings_.word(key);
    if (type && *type != "full" && *type != "lora") {
      settings_.refuse(key, "full or lora", '"' + *type + '"');
      return std::nullopt;
    }
    const bool enabled = settings_.flag("lora_enable");
    const bool peft = settings_.flag("use_peft");
    const bool by_default = !type && (is(TrainerFlavour::Swift) || is(TrainerFlavour::LlamaFactory));
    if (!enabled && !peft && !by_default && type.value_or("full") != "lora") return std::nullopt;
    const std::uint32_t otherwise = enabled ? 64 : peft ? 16 : 8;
    return settings_.whole(given(std::array<std::string_view, 2>{"lora_rank", "lora_r"})).value_or(otherwise);
  }

  // "all" and "all-linear" are every product; otherwise names of modules.
  std::vector<std::string> adapter_targets() {
    const std::string_view key =
        given(std::array<std::string_view, 3>{"lora_target", "target_modules", "lora_target_modules"});
    std::vector<std::string> targets;
    for (const std::string& text : settings_.words(key))
      for (const std::string_view part : split(text, ','))
        if (part != "all" && part != "all-linear" && !part.empty()) targets.emplace_back(trimmed(part));
    return targets;
  }

  // 0: none.
  void read_internvl_adapters(TrainerModel& model) {
    for (const auto& [key, block] :
         {std::pair("use_llm_lora", &model.backbone),
          std::pair("use_backbone_lora", model.encoder ? &*model.encoder : nullptr)}) {
      const auto text = settings_.known_word(key);
      if (!text || *text == "0" || !block) continue;
      if (const auto rank = settings_.whole(key)) add_member(block->keys, "lora_rank", *rank);
    }
  }

  Arguments& settings_;
  TrainerFlavour flavour_;
  const LaunchOptions& options_;
  std::uint32_t size_ = 1;
  bool flat_ = false;
  Object rule_ = {};
  LaunchExperiment experiment_ = {};
  std::vector<std::string> assumptions_ = {};
};

}  // namespace

LaunchReading read_trainer(Arguments& settings, const std::string& program,
                           std::optional<std::uint32_t> devices, const LaunchOptions& options) {
  return TrainerReader(settings, flavour_of_trainer(settings, program), options).run(devices);
}

}  // namespace spillway
