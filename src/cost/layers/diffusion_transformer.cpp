#include "cost/layers/diffusion_transformer.h"

#include "cost/layers/config_check.h"
#include "cost/layers/vision.h"

namespace spillway {
namespace {

constexpr std::uint32_t kTimestepFrequencies = 256;  // facebookresearch/DiT, models.py, TimestepEmbedder
constexpr std::uint32_t kMostSide = 4096;
constexpr std::uint32_t kMostHeadSide = 4096;  // heads and their width; the limit keeps their product a width

// Makes `vectors` vectors of the model's width from the conditioning vector, once per image.
Layer modulation(const DiffusionTransformer& m, std::uint64_t vectors) {
  const Layer layer = nonlinear("modulation activation", m.width(), m.width(), Share::Tokens) +
                      linear_with_bias("modulation", m.width(), vectors * m.width(), Share::Tokens);
  return once_per(layer, m.patches_per_image());
}

// A norm without parameters, shifted and scaled.
Layer modulated_norm(std::uint64_t width) {
  return nonlinear("modulated norm", width, width, Share::Tokens);
}

// x + gate * y; the gate's gradient reads y.
Layer gated_residual(std::uint64_t width) {
  return nonlinear("gate", width, width, Share::Tokens) + residual(width);
}

Layer transformer_layer(const DiffusionTransformer& m) {
  const std::uint64_t width = m.width(), head = m.attention_head_dim;
  return modulation(m, 6) + modulated_norm(width) +
         linear_with_bias("qkv", width, 3 * width, Share::Columns) +
         attention({m.num_attention_heads, m.num_attention_heads, head, head}, false) +
         linear_with_bias("attention out", width, width, Share::Rows) + tensor_parallel_sublayer() +
         gated_residual(width) + modulated_norm(width) + from_its_input(Module::Mlp, mlp(width, 4 * width)) +
         tensor_parallel_sublayer() + gated_residual(width);
}

Layer timestep_and_class(const DiffusionTransformer& m) {
  const std::uint64_t width = m.width();
  const Layer layer = linear_with_bias("timestep in", kTimestepFrequencies, width, Share::Tokens) +
                      nonlinear("timestep activation", width, width, Share::Tokens) +
                      linear_with_bias("timestep out", width, width, Share::Tokens) +
                      embedding(std::uint64_t{m.num_embeds_ada_norm} + 1, width);
  return once_per(layer, m.patches_per_image());
}

// Positions are fixed, not learned.
Layer latent_patch_embedding(const DiffusionTransformer& m) {
  return linear_with_bias("patch embedding", patch_elements(m.in_channels, 1, m.patch_size), m.width(),
                          Share::Tokens) +
         residual(m.width());
}

Layer to_pixels(const DiffusionTransformer& m) {
  return modulation(m, 2) + modulated_norm(m.width()) +
         linear_with_bias("to latent pixels", m.width(), patch_elements(m.out_channels, 1, m.patch_size),
                          Share::Tokens);
}

}  // namespace

std::uint32_t DiffusionTransformer::patches_per_image() const {
  const std::uint32_t side = sample_size / patch_size;
  return side * side;
}

std::vector<Layer> layers_of(const DiffusionTransformer& m) {
  std::vector<Layer> layers(m.num_layers, transformer_layer(m));
  layers.front() += at_end(latent_patch_embedding(m) + timestep_and_class(m));
  layers.back() += at_end(to_pixels(m));
  return layers;
}

std::vector<Violation> check_architecture(const DiffusionTransformer& m) {
  std::vector<Violation> violations =
      check_sizes({{"num_layers", m.num_layers, kMostLayers},
                   {"num_attention_heads", m.num_attention_heads, kMostHeadSide},
                   {"attention_head_dim", m.attention_head_dim, kMostHeadSide},
                   {"in_channels", m.in_channels, kMostSide},
                   {"out_channels", m.out_channels, kMostSide},
                   {"patch_size", m.patch_size, kMostSide},
                   {"sample_size", m.sample_size, kMostSide},
                   {"num_embeds_ada_norm", m.num_embeds_ada_norm}});
  require_divides(violations, "patch_size", m.patch_size, m.sample_size);
  return violations;
}

}  // namespace spillway
