#include "cost/vision.h"

namespace spillway {
namespace {

// The same parameters, run once for every `patches` patches.
LayerCost once_per(LayerCost cost, double patches) {
  cost.weights_per_token = cost.weights_per_token / patches;
  cost.activations_per_token = cost.activations_per_token / patches;
  cost.kept = cost.kept * (1 / patches);
  return cost;
}

}  // namespace

LayerCost vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner) {
  const std::uint64_t head = width / heads;
  const LayerCost rotary = elementwise(2 * width, 2 * width);
  return layer_norm(width) + linear_with_bias(width, 3 * std::uint64_t{width}) + rotary +
         attention({heads, heads, head, head}, false) + linear_with_bias(width, width) + residual(width) +
         layer_norm(width) + mlp(width, inner) + residual(width);
}

LayerCost patch_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  const std::uint64_t patches = std::uint64_t{merge} * merge;
  const std::uint64_t joined = width * patches;
  const LayerCost product =
      linear_with_bias(joined, joined) + nonlinear(joined, joined) + linear_with_bias(joined, output_width);
  return layer_norm(width) + once_per(product, static_cast<double>(patches));
}

}  // namespace spillway
