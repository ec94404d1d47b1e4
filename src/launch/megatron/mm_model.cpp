// Keys as Ascend/MindSpeed-MM @57069cd55a, examples/qwen2.5vl and mindspeed_mm/models. Test:
// tests/launch/mm_scripts_test.cpp.
#include "launch/megatron/mm_model.h"

#include <charconv>

#include "launch/command/json_members.h"

namespace spillway {
namespace {

class MmModel {
 public:
  explicit MmModel(Arguments& arguments) : arguments_(arguments) {}

  MegatronModel run() {
    arguments_.known_word("--mm-model");
    arguments_.known_word("--mm-data");
    arguments_.known_word("--mm-tool");
    pass_over_replaced();
    const auto id = arguments_.word("mm.model_id");
    if (id && *id != "qwen2_5vl")
      arguments_.refuse("mm.model_id", "qwen2_5vl, or --architecture with a config.json", '"' + *id + '"');
    if (!id) return std::move(model_);
    Object config;
    add_member(config, "model_type", "qwen2_5_vl");
    read_decoder(config);
    read_encoder(config);
    model_.config = Node{std::move(config)};
    return std::move(model_);
  }

 private:
  static constexpr std::string_view kDecoder = "mm.text_decoder.";
  static constexpr std::string_view kEncoder = "mm.image_encoder.vision_encoder.";

  // Arguments that the file states again, in a form of its own.
  void pass_over_replaced() {
    for (const char* name :
         {"--normalization", "--swiglu", "--vocab-size", "--make-vocab-size-divisible-by", "--tokenizer-type",
          "--num-layers", "--hidden-size", "--num-attention-heads", "--variable-seq-lengths"})
      arguments_.pass_over(name);
  }

  std::uint32_t needed(std::string_view part, std::string_view key) {
    const std::string name = std::string(part) + std::string(key);
    const auto number = arguments_.whole(name);
    if (!number && !arguments_.has(name))
      arguments_.findings().add("model.json, " + name.substr(3), "a whole number", "none");
    return number.value_or(1);
  }

  void read_decoder(Object& config) {
    model_.layers = {needed(kDecoder, "num_layers"), 0, {}};
    add_member(config, "num_hidden_layers", model_.layers.decoder);
    add_member(config, "hidden_size", needed(kDecoder, "hidden_size"));
    add_member(config, "intermediate_size", needed(kDecoder, "ffn_hidden_size"));
    const std::uint32_t heads = needed(kDecoder, "num_attention_heads");
    add_member(config, "num_attention_heads", heads);
    const bool grouped = arguments_.flag("mm.text_decoder.group_query_attention");
    const auto groups = arguments_.whole("mm.text_decoder.num_query_groups");
    add_member(config, "num_key_value_heads", grouped ? groups.value_or(heads) : heads);
    add_member(config, "vocab_size", needed(kDecoder, "vocab_size"));
    add_member(config, "hidden_act", "silu");
    add_member(config, "tie_word_embeddings",
               !arguments_.flag("mm.text_decoder.untie_embeddings_and_output_weights"));
    expect("mm.text_decoder.activation_func", "silu");
    expect("mm.text_decoder.gated_linear_unit", "true");
    expect("mm.text_decoder.normalization", "RMSNorm");
  }

  void read_encoder(Object& config) {
    Object tower;
    add_member(tower, "depth", needed(kEncoder, "num_layers"));
    add_member(tower, "hidden_size", needed(kEncoder, "hidden_size"));
    add_member(tower, "intermediate_size", needed(kEncoder, "ffn_hidden_size"));
    add_member(tower, "num_heads", needed(kEncoder, "num_attention_heads"));
    add_member(tower, "out_hidden_size", needed("mm.image_encoder.vision_projector.", "hidden_size"));
    add_member(tower, "hidden_act", "silu");
    for (const auto& [theirs, ours] :
         {std::pair("patch_size", "patch_size"), std::pair("spatial_merge_size", "spatial_merge_size"),
          std::pair("temporal_patch_size", "temporal_patch_size"),
          std::pair("window_attn_size", "window_size")})
      add_member(tower, ours, needed(kEncoder, theirs));
    add_member(tower, "fullatt_block_indexes",
               list_of("mm.image_encoder.vision_encoder.fullatt_block_indexes"));
    add_member(config, "vision_config", Node{std::move(tower)});
    expect("mm.image_encoder.vision_encoder.activation_func", "silu");
    MegatronEncoder encoder;
    encoder.trainable = !arguments_.flag("mm.image_encoder.vision_encoder.freeze");
    encoder.layers = numbers_of("mm.image_encoder.vision_encoder.pipeline_num_layers");
    read_pixels(encoder);
    model_.encoder = std::move(encoder);
  }

  // 0 is no bound.
  void read_pixels(MegatronEncoder& encoder) {
    for (const auto& [theirs, ours] :
         {std::pair("image_min_pixels", "min_pixels"), std::pair("image_max_pixels", "max_pixels")}) {
      const std::string name = std::string("mm-data.dataset_param.preprocess_parameters.") + theirs;
      const auto text = arguments_.known_word(name);
      if (!text || *text == "0") continue;
      if (const auto pixels = arguments_.whole(name)) add_member(encoder.rule, ours, *pixels);
    }
  }

  void expect(std::string_view name, std::string_view value) {
    const auto word = arguments_.word(name);
    if (word && *word != value)
      arguments_.refuse(name, std::string(value) + ", or --architecture with a config.json",
                        '"' + *word + '"');
  }

  std::vector<std::uint32_t> numbers_of(std::string_view name) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& text : arguments_.words(name)) {
      std::uint32_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size())
        arguments_.refuse(name, "whole numbers", '"' + text + '"');
      numbers.push_back(number);
    }
    return numbers;
  }
  Node list_of(std::string_view name) { return list_node(numbers_of(name)); }

  Arguments& arguments_;
  MegatronModel model_ = {};
};

}  // namespace

MegatronModel read_mm_model(Arguments& arguments) {
  return MmModel(arguments).run();
}

}  // namespace spillway
