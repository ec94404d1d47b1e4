// DiT (diffusers, models/transformers/dit_transformer_2d.py). In the files of diffusers every layer has its
// own timestep and class embedding, all equal. Here there is one, as in the paper's model.
#include "input/architecture/families.h"

namespace spillway {
namespace {

DiffusionTransformer read_dit(ConfigSection& config) {
  DiffusionTransformer model;
  model.num_layers = config.size("num_layers");
  model.num_attention_heads = config.size("num_attention_heads");
  model.attention_head_dim = config.size("attention_head_dim");
  model.in_channels = config.size("in_channels");
  model.out_channels = config.size_or("out_channels", "out_channels", model.in_channels);
  model.patch_size = config.size("patch_size");
  model.sample_size = config.size("sample_size");
  model.num_embeds_ada_norm = config.size("num_embeds_ada_norm");
  config.expect_word("norm_type", {"ada_norm_zero"});
  config.expect_word("activation_fn", {"gelu-approximate", "gelu"});
  config.expect_flag("attention_bias", true);
  config.expect_flag("norm_elementwise_affine", false);
  config.expect_flag("double_self_attention", false);
  config.pass_over({"_class_name", "norm_num_groups", "dropout", "upcast_attention", "attention_type"});
  return model;
}

}  // namespace

// The second name is that of DiT's first files.
extern const GeneratorFamily kDit = {{"DiTTransformer2DModel", "Transformer2DModel"}, read_dit};

}  // namespace spillway
