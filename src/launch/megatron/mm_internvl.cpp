// Keys as Ascend/MindSpeed-MM, examples/internvl2 and internvl2.5 (@02655c5a; later versions have them for
// MindSpore alone). Test: tests/launch/mm_scripts_test.cpp.
#include <utility>

#include "launch/command/json_members.h"
#include "launch/megatron/mm_config.h"

namespace spillway {
namespace {

// Queries, keys and values of Qwen2.5 have biases; InternLM2 and Llama have none.
Object internvl_decoder(MmConfig& file) {
  Object decoder;
  const bool biased = file.arguments().flag("mm.text_decoder.add_qkv_bias");
  add_member(decoder, "model_type", biased ? "qwen2" : "llama");
  file.add_decoder_sizes(decoder);
  file.expect("mm.text_decoder.qk_layernorm", "false");
  file.expect("mm.text_decoder.add_bias_linear", "false");
  add_member(decoder, "tie_word_embeddings", false);
  return decoder;
}

Object intern_vit(MmConfig& file) {
  Object tower;
  add_member(tower, "model_type", "intern_vit_6b");
  for (const auto& [theirs, ours] :
       {std::pair("num_layers", "num_hidden_layers"), std::pair("hidden_size", "hidden_size"),
        std::pair("ffn_hidden_size", "intermediate_size"),
        std::pair("num_attention_heads", "num_attention_heads"), std::pair("image_size", "image_size"),
        std::pair("patch_size", "patch_size")})
    add_member(tower, ours, file.needed(kMmEncoder, theirs));
  Arguments& arguments = file.arguments();
  const std::string part(kMmEncoder);
  add_member(tower, "qkv_bias", arguments.flag(part + "add_qkv_bias"));
  add_member(tower, "qk_normalization", arguments.flag(part + "qk_layernorm"));
  const std::string norm = arguments.word(part + "normalization").value_or("LayerNorm");
  if (norm != "LayerNorm" && norm != "RMSNorm")
    arguments.refuse(part + "normalization", "LayerNorm or RMSNorm", '"' + norm + '"');
  add_member(tower, "norm_type", norm == "RMSNorm" ? "rms_norm" : "layer_norm");
  add_member(tower, "hidden_act", "gelu");
  file.expect(part + "activation_func", "gelu");
  return tower;
}

}  // namespace

Node read_mm_internvl(MmConfig& file, MegatronModel& model) {
  Arguments& arguments = file.arguments();
  Object config;
  add_member(config, "model_type", "internvl_chat");
  const auto ratio = arguments.number("mm.downsample_ratio");
  add_member(config, "downsample_ratio", ratio.value_or(0.5));
  file.expect("mm.select_layer", "-1");
  const auto tiles = arguments.whole("mm-data.dataset_param.max_dynamic_patch");
  if (tiles) add_member(config, "max_dynamic_patch", *tiles);
  file.expect("mm-data.dataset_param.dynamic_image_size", "true");
  file.expect("mm-data.dataset_param.use_thumbnail", "true");
  add_member(config, "llm_config", Node{internvl_decoder(file)});
  add_member(config, "vision_config", Node{intern_vit(file)});
  model.layers = {file.needed(kMmDecoder, "num_layers"), 0, {}};
  model.encoder = file.encoder();
  model.encoder->framework = "mindspeed-mm-internvl";
  return {std::move(config)};
}

}  // namespace spillway
