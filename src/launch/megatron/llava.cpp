// Sizes of towers and projectors as NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal/config.py; parts as
// megatron/core/models/vision/clip_vit_model.py. The config.json has the keys of family_megatron_vit.cpp.
// Test: tests/launch/llava_scripts_test.cpp.
#include "launch/megatron/llava.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/command/json_members.h"

namespace spillway {
namespace {

struct KnownTower {
  std::string_view name;
  std::uint32_t layers;
  std::uint32_t heads;  // 0: padded for tensor parallelism
  std::uint32_t width, inner;
  std::uint32_t head;  // 0: the model's
  std::uint32_t class_tokens;
  bool qkv_bias = true, gated = false, rms_norm = false, head_norms = false, scales = false;
  bool norm_before = false, norm_after = false, patch_bias = false;
};

constexpr std::array kTowers = std::to_array<KnownTower>({
    {.name = "clip",
     .layers = 24,
     .heads = 16,
     .width = 1024,
     .inner = 4096,
     .head = 64,
     .class_tokens = 1,
     .norm_before = true},
    {.name = "siglip",
     .layers = 27,
     .heads = 16,
     .width = 1152,
     .inner = 4304,
     .head = 72,
     .class_tokens = 0,
     .norm_after = true,
     .patch_bias = true},
    {.name = "internvit",
     .layers = 45,
     .heads = 0,
     .width = 3200,
     .inner = 12800,
     .head = 0,
     .class_tokens = 1,
     .qkv_bias = false,
     .rms_norm = true,
     .head_norms = true,
     .scales = true,
     .patch_bias = true},
    {.name = "internvit300M",
     .layers = 24,
     .heads = 16,
     .width = 1024,
     .inner = 4096,
     .head = 64,
     .class_tokens = 1,
     .scales = true,
     .patch_bias = true},
    {.name = "radio", .layers = 32, .heads = 16, .width = 1280, .inner = 5120, .head = 80, .class_tokens = 8},
    {.name = "radio-g",
     .layers = 40,
     .heads = 24,
     .width = 1536,
     .inner = 4096,
     .head = 64,
     .class_tokens = 5,
     .gated = true},
    {.name = "cradio-g",
     .layers = 40,
     .heads = 24,
     .width = 1536,
     .inner = 6144,
     .head = 64,
     .class_tokens = 8},
});

// The projector of a language model. An empty norm is that of the arguments.
struct KnownProjector {
  std::string_view language_model;
  std::uint32_t inner;
  std::string_view norm = "";
  bool biases = false;
};

constexpr std::array kProjectors = std::to_array<KnownProjector>({
    {"llama3_8b", 14336},
    {"llama3.1_8b", 4096, "LayerNorm", true},
    {"llama3.2_1b", 2048, "LayerNorm"},
    {"llama_nemotron_8b", 14336, "LayerNorm", true},
    {"mistral_7b", 14336, "none"},
    {"yi-34b", 20480, "LayerNorm"},
    {"qwen2.0_72B", 29568, "LayerNorm"},
    {"qwen2.5_7B", 3584},
    {"qwen2.5_72B", 29568, "LayerNorm"},
    {"nemotron5-8b", 21504},
});

template <class Rows, class Name>
std::string names_of(const Rows& rows, Name name) {
  std::string all;
  for (const auto& row : rows) all += (all.empty() ? "" : ", ") + std::string(row.*name);
  return all;
}

class LlavaReader {
 public:
  LlavaReader(Arguments& arguments, const MegatronShape& shape, MegatronModel& model)
      : arguments_(arguments), shape_(shape), model_(model) {}

  void run() {
    const std::string tower = arguments_.word("--vision-model-type").value_or("clip");
    const auto known = std::ranges::find(kTowers, tower, &KnownTower::name);
    if (known == kTowers.end())
      arguments_.refuse("--vision-model-type", names_of(kTowers, &KnownTower::name), '"' + tower + '"');
    const std::string language = arguments_.word("--language-model-type").value_or("");
    const auto projector = std::ranges::find(kProjectors, language, &KnownProjector::language_model);
    if (projector == kProjectors.end())
      arguments_.refuse("--language-model-type", names_of(kProjectors, &KnownProjector::language_model),
                        '"' + language + '"');
    refuse_other_cuts();
    if (known == kTowers.end() || projector == kProjectors.end()) return;
    Object vision = tower_config(*known);
    add_images(vision);
    add_projector(vision, *projector);
    read_training(known->layers);
    if (arguments_.findings().empty()) join(std::move(vision));
  }

 private:
  // InternViT's 25 heads do not divide by the group, and dummy heads fill them up (nvlm/internvit.py).
  Object tower_config(const KnownTower& tower) {
    const std::uint32_t tensor = arguments_.whole("--tensor-model-parallel-size").value_or(1);
    const bool padded = tower.heads == 0;
    Object vision;
    add_member(vision, "model_type", "megatron_vit");
    add_member(vision, "num_hidden_layers", tower.layers);
    add_member(vision, "hidden_size", tower.width);
    add_member(vision, "intermediate_size", tower.inner);
    add_member(vision, "num_attention_heads", padded ? (24 / tensor + 1) * tensor : tower.heads);
    add_member(vision, "head_dim", padded ? shape_.head : tower.head);
    if (tower.class_tokens > 0) add_member(vision, "class_token_len", tower.class_tokens);
    add_member(vision, "norm_type", tower.rms_norm ? "rms_norm" : "layer_norm");
    add_member(vision, "hidden_act", tower.gated ? "silu" : "gelu");
    for (const auto& [key, is] :
         {std::pair("gated_linear_unit", tower.gated), std::pair("add_qkv_bias", tower.qkv_bias),
          std::pair("qk_layernorm", tower.head_norms), std::pair("layer_scale", tower.scales),
          std::pair("norm_before", tower.norm_before), std::pair("norm_after", tower.norm_after),
          std::pair("patch_embedding_bias", tower.patch_bias)})
      add_member(vision, key, is);
    return vision;
  }

  std::uint32_t stated(const char* name, const char* what) {
    const auto size = arguments_.whole(name);
    if (!size && !arguments_.has(name)) arguments_.ask_for(name, what);
    return size.value_or(1);
  }

  void add_images(Object& vision) {
    const std::uint32_t height = stated("--img-h", "pixels of an image or tile");
    const std::uint32_t width = stated("--img-w", "pixels of an image or tile");
    if (height != width) arguments_.refuse("--img-w", "a square image or tile", std::to_string(width));
    const std::uint32_t patch = stated("--patch-dim", "pixels of a patch's side");
    if (height % patch != 0)
      arguments_.refuse("--img-h", "a multiple of --patch-dim, " + std::to_string(patch),
                        std::to_string(height));
    add_member(vision, "image_size", height);
    add_member(vision, "patch_size", patch);
    add_member(vision, "pixel_shuffle", arguments_.flag("--pixel-shuffle"));
    const auto tiles = arguments_.whole("--max-num-tiles");
    const bool thumbnail = arguments_.flag("--use-thumbnail");
    if (!arguments_.flag("--use-tiling")) return;
    add_member(vision, "max_num_tiles", tiles.value_or(1));
    if (!thumbnail) assume("tiles have a thumbnail, which the script leaves out (no --use-thumbnail)");
    if (arguments_.flag("--use-tile-tags")) assume("the text tokens that mark tiles are left out");
  }

  void refuse_other_cuts() {
    if (arguments_.flag("--dynamic-resolution"))
      arguments_.refuse("--dynamic-resolution", "images of one size, or tiles", "--dynamic-resolution");
    if (const auto sound = arguments_.word("--sound-model-type"))
      arguments_.refuse("--sound-model-type", "a model with images alone", '"' + *sound + '"');
    const auto frames = arguments_.known_word("--num-frames");
    if (frames && *frames != "1") assume("videos (--num-frames) are not read");
    if (!arguments_.flag("--disable-vision-class-token"))
      assume(
          "class tokens, which the language model would read (no --disable-vision-class-token), are left "
          "out");
    if (arguments_.known_word("--dataloader-seq-length"))
      assume("samples are not padded to --dataloader-seq-length");
  }

  void add_projector(Object& vision, const KnownProjector& projector) {
    const std::string_view norm = !projector.norm.empty() ? projector.norm
                                  : shape_.rms_norm       ? std::string_view("RMSNorm")
                                                          : std::string_view("LayerNorm");
    add_member(vision, "projector_hidden_size", projector.inner);
    add_member(vision, "projector_norm", norm);
    add_member(vision, "projector_bias", projector.biases);
  }

  void read_training(std::uint32_t layers) {
    MegatronEncoder encoder;
    const bool frozen = arguments_.flag("--freeze-ViT");
    model_.trains_backbone = !arguments_.flag("--freeze-LM");
    // The projector is trained in any case; it is no block of its own.
    encoder.trainable = !frozen || !model_.trains_backbone;
    if (frozen && encoder.trainable)
      assume("the projector is trained with its tower, which in truth is frozen");
    if (frozen && !encoder.trainable)
      assume("the projector, which in truth is trained, is frozen with its tower");
    encoder.depth = layers;
    encoder.recomputed = arguments_.flag("--recompute-vision") && !frozen;
    encoder.split = true;
    const auto buffer = arguments_.known_word("--packing-buffer-size");
    const auto packed = arguments_.whole("--packing-seq-length");
    if (buffer && *buffer != "0") encoder.packed_tokens = packed;
    encoder.pads = !encoder.packed_tokens;
    arguments_.changes_nothing("--decoder-seq-length");
    model_.encoder = std::move(encoder);
  }

  void join(Object vision) {
    Object config;
    add_member(config, "model_type", "megatron_llava");
    add_member(config, "text_config", std::move(*model_.config));
    add_member(config, "vision_config", Node{std::move(vision)});
    model_.config = Node{std::move(config)};
  }

  void assume(std::string sentence) { model_.assumptions.push_back(std::move(sentence)); }

  Arguments& arguments_;
  const MegatronShape& shape_;
  MegatronModel& model_;
};

}  // namespace

bool is_llava(const Arguments& arguments) {
  return arguments.has("--language-model-type");
}

void add_llava_tower(Arguments& arguments, const MegatronShape& shape, MegatronModel& model) {
  LlavaReader(arguments, shape, model).run();
}

}  // namespace spillway
