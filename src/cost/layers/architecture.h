// The architectures of the analytic cost model, and the layers of each. There are a few general ones; readers
// map the families of public configurations onto them (input/architecture/families.h).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cost/layers/audio.h"
#include "cost/layers/diffusion_transformer.h"
#include "cost/layers/layer.h"
#include "cost/layers/text_model.h"
#include "cost/layers/vision.h"

namespace spillway {

using Architecture = std::variant<VisionTower, TextModel, DiffusionTransformer, AudioTower>;

// The units that a block's layers run over: the tokens of a microbatch's sequence, or the patches of its
// images and videos (the positions of its audio). A generator runs over the patches of the images it learns
// to make, assumed to be the microbatch's own images (diffusion_transformer.h).
enum class LoadUnit { Token, Patch };

struct LayerStack {
  LoadUnit unit;
  std::vector<Layer> layers;     // the first has the embedding, the last the final norm and head (or merger)
  std::uint32_t width;           // elements per token (patch) that pass from one layer to the next
  std::uint32_t output_width;    // elements per backbone token that leave the last layer
  std::uint32_t routed_experts;  // per mixture-of-experts layer; 0: none
  std::uint32_t heads;           // attention heads, which tensor parallelism splits
  std::uint32_t key_value_heads = 0;  // those not shared among heads
  // DeepStack: the number of further outputs with the last one, each of output_width elements per backbone
  // token.
  std::uint32_t side_outputs = 0;
  // Elements per token (patch) that pass from each layer to the next in addition to `width`: features made
  // before, for the end of the stack. Empty: none.
  std::vector<double> carried = {};
  std::uint32_t before_decoder = 0;  // layers before the first that takes side features: an embedding
  Bytes input = {};  // of a patch or token from its loader: BF16 pixels or mel bins, or an id of 8 bytes
  Modality modality = Modality::Vision;  // of the items, if it runs over patches
};

// Contract: check_architecture finds nothing.
LayerStack layer_stack(const Architecture& architecture);

std::uint32_t layer_count(const Architecture& architecture);

// LayerStack::routed_experts, without building the layers.
std::uint32_t routed_experts(const Architecture& architecture);

// Parameters that one token passes through: the chosen ones of the routed experts, and whole look-up tables,
// as published counts have them.
std::uint64_t active_parameters(const LayerStack& stack);
std::uint64_t active_parameters(const Operator& op);

// Return the sizes that describe no network; pointers name the fields.
std::vector<Violation> check_architecture(const Architecture& architecture);

}  // namespace spillway
