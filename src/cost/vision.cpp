#include "cost/vision.h"

namespace spillway {
namespace {

// The same parameters, run once for every `patches` patches.
Layer once_per(Layer layer, double patches) {
  for (Operator& op : layer.operators) {
    op.rows_per_token /= patches;
    op.traffic_per_token = op.traffic_per_token / patches;
    op.kept = op.kept * (1 / patches);
    op.kept_outside = op.kept_outside * (1 / patches);
  }
  return layer;
}

}  // namespace

Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner) {
  const std::uint64_t head = width / heads;
  return layer_norm(width) + linear_with_bias("qkv", width, 3 * std::uint64_t{width}, Share::Columns) +
         elementwise("rotary", 2 * width, 2 * width, Share::Inner) +
         attention({heads, heads, head, head}, false) +
         linear_with_bias("attention out", width, width, Share::Rows) + residual(width) + layer_norm(width) +
         mlp(width, inner) + residual(width);
}

Layer patch_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width) {
  const std::uint64_t patches = std::uint64_t{merge} * merge;
  const std::uint64_t joined = width * patches;
  const Layer product = linear_with_bias("merger in", joined, joined, Share::Columns) +
                        nonlinear("merger activation", joined, joined, Share::Inner) +
                        linear_with_bias("merger out", joined, output_width, Share::Rows);
  return layer_norm(width) + once_per(product, static_cast<double>(patches));
}

}  // namespace spillway
