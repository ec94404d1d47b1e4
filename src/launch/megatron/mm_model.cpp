// Keys as Ascend/MindSpeed-MM @57069cd55a, examples/qwen2.5vl and mindspeed_mm/models. Test:
// tests/launch/mm_scripts_test.cpp.
#include "launch/megatron/mm_model.h"

#include <utility>

#include "base/text.h"
#include "launch/command/json_members.h"
#include "launch/megatron/mm_config.h"
#include "launch/megatron/mm_fsdp.h"

namespace spillway {
namespace {

class MmModel {
 public:
  explicit MmModel(Arguments& arguments) : arguments_(arguments), file_(arguments) {}

  MegatronModel run() {
    pass_over_mm_replaced(arguments_);
    const auto id = arguments_.word("mm.model_id");
    if (!id) return std::move(model_);
    if (*id == "qwen2_5vl")
      model_.config = qwen2_5_vl();
    else if (lower(*id).starts_with("internvl"))
      model_.config = read_mm_internvl(file_, model_);
    else
      arguments_.refuse("mm.model_id", "qwen2_5vl or InternVL, or --architecture with a config.json",
                        '"' + *id + '"');
    if (!model_.encoder) return std::move(model_);
    model_.layers.encoder = model_.encoder->layers;
    if (model_.encoder->framework.empty()) model_.encoder->framework = "mindspeed-mm";
    if (arguments_.has("--use-torch-fsdp2")) shard();
    return std::move(model_);
  }

 private:
  void shard() {
    model_.encoder->framework = "mindspeed-mm-fsdp2";
    model_.framework_set = mm_fsdp_changes(arguments_);
  }

  Node qwen2_5_vl() {
    Object config;
    add_member(config, "model_type", "qwen2_5_vl");
    file_.add_decoder_sizes(config);
    add_member(config, "tie_word_embeddings",
               !arguments_.flag("mm.text_decoder.untie_embeddings_and_output_weights"));
    model_.layers = {file_.needed(kMmDecoder, "num_layers"), 0, {}};
    add_member(config, "vision_config", Node{qwen2_5_tower()});
    model_.encoder = file_.encoder();
    read_pixels(*model_.encoder);
    return {std::move(config)};
  }

  Object qwen2_5_tower() {
    Object tower;
    add_member(tower, "depth", file_.needed(kMmEncoder, "num_layers"));
    add_member(tower, "hidden_size", file_.needed(kMmEncoder, "hidden_size"));
    add_member(tower, "intermediate_size", file_.needed(kMmEncoder, "ffn_hidden_size"));
    add_member(tower, "num_heads", file_.needed(kMmEncoder, "num_attention_heads"));
    add_member(tower, "out_hidden_size", file_.needed("mm.image_encoder.vision_projector.", "hidden_size"));
    add_member(tower, "hidden_act", "silu");
    for (const auto& [theirs, ours] :
         {std::pair("patch_size", "patch_size"), std::pair("spatial_merge_size", "spatial_merge_size"),
          std::pair("temporal_patch_size", "temporal_patch_size"),
          std::pair("window_attn_size", "window_size")})
      add_member(tower, ours, file_.needed(kMmEncoder, theirs));
    add_member(tower, "fullatt_block_indexes",
               list_node(file_.numbers_of("mm.image_encoder.vision_encoder.fullatt_block_indexes")));
    file_.expect("mm.image_encoder.vision_encoder.activation_func", "silu");
    return tower;
  }

  void read_pixels(MegatronEncoder& encoder) { encoder.rule = mm_image_bounds(arguments_); }

  Arguments& arguments_;
  MmConfig file_;
  MegatronModel model_ = {};
};

}  // namespace

void pass_over_mm_replaced(Arguments& arguments) {
  for (const char* name : {"--mm-model", "--mm-data", "--mm-tool"}) arguments.known_word(name);
  for (const char* name :
       {"--normalization", "--swiglu", "--vocab-size", "--make-vocab-size-divisible-by", "--tokenizer-type",
        "--num-layers", "--hidden-size", "--num-attention-heads", "--variable-seq-lengths",
        "--position-embedding-type", "--untie-embeddings-and-output-weights"})
    arguments.pass_over(name);
}

Object mm_image_bounds(Arguments& arguments) {
  Object rule;
  for (const auto& [theirs, ours] :
       {std::pair("image_min_pixels", "min_pixels"), std::pair("image_max_pixels", "max_pixels")}) {
    const std::string name = std::string("mm-data.dataset_param.preprocess_parameters.") + theirs;
    const auto text = arguments.known_word(name);
    if (!text || *text == "0") continue;
    if (const auto pixels = arguments.whole(name)) add_member(rule, ours, *pixels);
  }
  return rule;
}

MegatronModel read_mm_model(Arguments& arguments) {
  return MmModel(arguments).run();
}

}  // namespace spillway
