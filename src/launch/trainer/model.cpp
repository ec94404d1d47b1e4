// Which parts are trained: hiyouga/LLaMA-Factory @ff6d4d12ee, src/llamafactory/hparams/finetuning_args.py;
// modelscope/ms-swift @3602360a56, swift/arguments; haotian-liu/LLaVA @c121f0432d, llava/train/train.py;
// OpenGVLab/InternVL @2410d1dbf2, internvl_chat/internvl/train/internvl_chat_finetune.py; QwenLM/Qwen3-VL
// @9658872, qwen-vl-finetune/qwenvl/train. Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/trainer/model.h"

#include "base/text.h"
#include "launch/command/architecture.h"
#include "launch/command/json_members.h"

namespace spillway {
namespace {

class ModelSettings {
 public:
  ModelSettings(Arguments& settings, TrainerFlavour flavour, const LaunchOptions& options)
      : settings_(settings), flavour_(flavour), options_(options) {}

  TrainerModel run() {
    const std::string key = settings_.has("model") ? "model" : "model_name_or_path";
    std::string name = settings_.word(key).value_or("");
    if (name.empty() && options_.architecture.empty() && !settings_.has(key))
      settings_.ask_for("model_name_or_path", "the name of a model");
    std::string place = key;
    for (const LaunchArgument& argument : settings_.all())
      if (argument.name == key) place = place_of(argument);
    if (!options_.architecture.empty()) name = options_.architecture;
    if (name.empty()) return std::move(model_);
    if (!read_backbone(name, options_.architecture.empty() ? place : "--architecture", settings_.findings()))
      return std::move(model_);
    model_.backbone.architecture = name;
    if (flavour_ == TrainerFlavour::Llava && settings_.has("vision_tower"))
      read_llava(name);
    else if (has_vision_tower(name))
      read_encoder(name);
    return std::move(model_);
  }

 private:
  // LLaVA has CLIP's tower, and a projector to the width of the language model; the tower is frozen.
  void read_llava(const std::string& name) {
    const auto tower = settings_.word("vision_tower");
    const auto projector = settings_.word("mm_projector_type").value_or("linear");
    const auto config = config_of(name);
    const auto width = config ? whole_of(*config, "hidden_size") : std::nullopt;
    if (projector != "mlp2x_gelu") settings_.refuse("mm_projector_type", "mlp2x_gelu", '"' + projector + '"');
    if (!tower) return;
    LaunchBlock encoder;
    encoder.architecture = "clip-l-336-to-" + std::to_string(width.value_or(0));
    if (!tower->ends_with("clip-vit-large-patch14-336") || !config_of(encoder.architecture))
      return settings_.refuse("vision_tower",
                              "openai/clip-vit-large-patch14-336 beside a width of 4096 or 5120",
                              '"' + *tower + '"');
    model_.encoder = std::move(encoder);
    const bool projector_alone = settings_.flag("tune_mm_mlp_adapter");
    model_.trains_backbone = !projector_alone && !settings_.flag("freeze_backbone");
    // Its gradients pass the frozen language model; a projector alone is no block of its own.
    model_.trains_encoder = projector_alone;
    if (projector_alone)
      model_.assumptions.push_back("the projector is trained with its tower, which in truth is frozen");
  }

  bool flag_or(std::string_view name, bool otherwise) {
    return settings_.has(name) ? settings_.flag(name) : otherwise;
  }

  // Adapters of a frozen part are trained; 0 is none.
  bool adapts(std::string_view rank) {
    const auto text = settings_.known_word(rank);
    return text && *text != "0";
  }

  void read_encoder(const std::string& name) {
    const auto config = config_of(name);
    const Node* type = config ? member(&*config, "model_type") : nullptr;
    const auto* word = type ? std::get_if<std::string>(&type->value) : nullptr;
    model_.resizes = word && word->find("qwen") != std::string::npos;
    model_.encoder = LaunchBlock{name, {}};
    switch (flavour_) {
      case TrainerFlavour::LlamaFactory:
        model_.trains_encoder = !flag_or("freeze_vision_tower", true);
        model_.trains_backbone = !flag_or("freeze_language_model", false);
        settings_.known_word("freeze_multi_modal_projector");
        break;
      case TrainerFlavour::Swift:
        model_.trains_encoder = !flag_or("freeze_vit", true);
        model_.trains_backbone = !flag_or("freeze_llm", false);
        settings_.known_word("freeze_aligner");
        break;
      case TrainerFlavour::InternVl:
        model_.trains_encoder = !flag_or("freeze_backbone", false);
        model_.trains_backbone = !flag_or("freeze_llm", false);
        settings_.known_word("freeze_mlp");
        model_.trains_backbone |= adapts("use_llm_lora");
        model_.trains_encoder |= adapts("use_backbone_lora");
        if (config) read_tiles(*config);
        break;
      case TrainerFlavour::QwenVl:
        model_.trains_encoder = flag_or("tune_mm_vision", false);
        model_.trains_backbone = flag_or("tune_mm_llm", false);
        settings_.known_word("tune_mm_mlp");
        break;
      default:
        model_.trains_encoder = true;
    }
    if (!model_.trains_encoder && !model_.trains_backbone)
      settings_.findings().add("/", "a trained tower or a trained language model", "a projector alone");
  }

  // The script's number of tiles replaces the model's.
  void read_tiles(const Node& config) {
    const auto tiles = settings_.whole("max_dynamic_patch");
    const bool dynamic = flag_or("dynamic_image_size", false);
    const auto size = settings_.whole("force_image_size");
    settings_.known_word("down_sample_ratio");
    settings_.known_word("use_thumbnail");
    settings_.known_word("ps_version");
    settings_.known_word("vision_select_layer");
    if (size && *size != whole_of(config, "force_image_size").value_or(*size))
      settings_.refuse("force_image_size", "the model's own size", std::to_string(*size));
    if (!dynamic) settings_.ask_for("dynamic_image_size", "true, since images of one tile are not simulated");
    if (!tiles || *tiles == whole_of(config, "max_dynamic_patch").value_or(0)) return;
    Node changed = config;
    if (Node* number = find(std::get<Object>(changed.value), "max_dynamic_patch"))
      number->value = static_cast<std::int64_t>(*tiles);
    else
      return;
    model_.config = std::move(changed);
    model_.backbone.architecture = model_.encoder->architecture = "";
  }

  Arguments& settings_;
  TrainerFlavour flavour_;
  const LaunchOptions& options_;
  TrainerModel model_ = {};
};

}  // namespace

TrainerModel read_trainer_model(Arguments& settings, TrainerFlavour flavour, const LaunchOptions& options) {
  return ModelSettings(settings, flavour, options).run();
}

}  // namespace spillway
