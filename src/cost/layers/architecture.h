// Architectures the analytic cost model knows, and what each layer of them costs. A few general ones; the
// families of public configurations are mapped onto them by their readers (input/architecture/families.h).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cost/layers/diffusion_transformer.h"
#include "cost/layers/layer.h"
#include "cost/layers/text_model.h"
#include "cost/layers/vision.h"

namespace spillway {

using Architecture = std::variant<VisionTower, TextModel, DiffusionTransformer>;

// What a block's layers run over: the tokens of a microbatch's sequence, or the patches of its images. A
// generator runs over the patches of the images it learns to make, taken to be the microbatch's own images
// (diffusion_transformer.h).
enum class LoadUnit { Token, Patch };

struct LayerStack {
  LoadUnit unit;
  std::vector<Layer> layers;     // the embedding in the first, final norm and head (or merger) in the last
  std::uint32_t width;           // elements per token (patch) that pass from one layer to the next
  std::uint32_t output_width;    // elements per backbone token that leave the last layer
  std::uint32_t routed_experts;  // per mixture-of-experts layer; 0: none
  std::uint32_t heads;           // what tensor parallelism splits
  std::uint32_t key_value_heads = 0;  // of those, what is not shared among heads
  // DeepStack: further outputs, each of output_width elements per backbone token, that go with the last.
  std::uint32_t side_outputs = 0;
  // Beside `width`, what passes from each layer to the next, in elements per token (patch): features that
  // were made before and are for the end. Empty: nothing.
  std::vector<double> carried = {};
  std::uint32_t before_decoder = 0;  // layers in front of the first that takes side features: an embedding
  Bytes input = {};  // of a patch or token as its loader hands it over: BF16 pixels, an id of 8 bytes
};

// Contract: check_architecture finds nothing.
LayerStack layer_stack(const Architecture& architecture);

std::uint32_t layer_count(const Architecture& architecture);

// LayerStack::routed_experts, without laying out the layers.
std::uint32_t routed_experts(const Architecture& architecture);

// Parameters that one token passes through: of the routed experts the chosen ones; look-up tables whole, as
// published counts have them.
std::uint64_t active_parameters(const LayerStack& stack);
std::uint64_t active_parameters(const Operator& op);

// Sizes that describe no network; pointers name the fields.
std::vector<Violation> check_architecture(const Architecture& architecture);

}  // namespace spillway
