// DiT (Peebles and Xie 2022, arXiv 2212.09748): a transformer with adaLN-Zero over the patches of a latent
// image. In each layer a product makes six vectors (shift, scale and gate of either sublayer) from the
// timestep and class of the image. Sizes as in the config.json of diffusers, class DiTTransformer2DModel.
//
// Costs are per latent patch and per pair of patches of one image, as for an encoder. Work done once per
// image is spread over the (sample_size / patch_size)^2 patches of the model's image size. A latent pixel
// stands for 8 x 8 pixels (the autoencoder of Stable Diffusion, which is frozen and not counted). So with
// patch_size 2 a latent patch is 16 x 16 pixels, and an image has as many patches as for an encoder with
// patches of 16. Each generated image takes one forward and backward: a training step draws one timestep.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"

namespace spillway {

struct DiffusionTransformer {
  std::uint32_t num_layers = 0;
  std::uint32_t num_attention_heads = 0;
  std::uint32_t attention_head_dim = 0;
  std::uint32_t in_channels = 0;          // of the latent image
  std::uint32_t out_channels = 0;         // noise and its variance
  std::uint32_t patch_size = 0;           // latent pixels
  std::uint32_t sample_size = 0;          // latent pixels
  std::uint32_t num_embeds_ada_norm = 0;  // classes; one more row stands for no class

  std::uint32_t width() const { return num_attention_heads * attention_head_dim; }
  std::uint32_t patches_per_image() const;

  friend bool operator==(const DiffusionTransformer&, const DiffusionTransformer&) = default;
};

std::vector<Layer> layers_of(const DiffusionTransformer& model);
std::vector<Violation> check_architecture(const DiffusionTransformer& model);

}  // namespace spillway
