// Test: tests/cost/audio_tower_test.cpp.
#include "cost/layers/audio.h"

#include "cost/layers/config_check.h"
#include "cost/layers/conventions.h"
#include "cost/layers/vision.h"

namespace spillway {
namespace {

constexpr std::string_view kFrameConvolution = "frame convolution";
constexpr std::uint32_t kTaps = 3;
constexpr std::uint32_t kMostChannels = 65'536;
constexpr std::uint32_t kMostMelBins = 4096;

// Runs `rows` times for each position. It reads and keeps the frames, not a copy of them for each tap.
// `inputs` has the elements that it reads for a position.
Layer convolution(std::uint64_t taps, std::uint64_t in, std::uint64_t out, double rows, double inputs) {
  Layer layer = linear_with_bias(kFrameConvolution, taps * in, out, Share::Tokens);
  Operator& op = layer.operators.back();
  op.rows_per_token = rows;
  const Bytes read = kElement * inputs, written = kElement * (rows * static_cast<double>(out));
  op.traffic_per_token = read + written;
  op.kept = op.kept_outside = {read, {}, read + written};
  return layer;
}

// An activation of `elements` elements for each position.
Layer activation(double elements) {
  Layer layer = nonlinear("activation", 1, 1, Share::Tokens);
  Operator& op = layer.operators.back();
  op.traffic_per_token = op.traffic_per_token * elements;
  op.kept = op.kept * elements;
  op.kept_outside = op.kept_outside * elements;
  return layer;
}

Layer over_time(const AudioTower& t) {
  const double frames = frames_per_position(t), width = t.d_model;
  return convolution(kTaps, t.num_mel_bins, t.d_model, frames, frames * t.num_mel_bins) +
         activation(frames * width) + convolution(kTaps, t.d_model, t.d_model, 1, frames * width) +
         activation(width);
}

// Each convolution halves bins and frames.
Layer over_both(const AudioTower& t) {
  const std::uint64_t channels = t.downsample_hidden_size;
  const double positions = positions_of(t.rule.chunk, t.rule);
  std::uint32_t frames = t.rule.chunk, bins = t.num_mel_bins;
  std::uint64_t in = 1;
  Layer layer;
  for (std::uint32_t i = 0; i < t.rule.convolutions; ++i) {
    const double inputs = double(frames) * bins * static_cast<double>(in) / positions;
    frames = (frames - 1) / 2 + 1;
    bins = (bins - 1) / 2 + 1;
    const double rows = double(frames) * bins / positions;
    layer += convolution(kTaps * kTaps, in, channels, rows, inputs) +
             activation(rows * static_cast<double>(channels));
    in = channels;
  }
  return layer + linear(kFrameConvolution, channels * bins, t.d_model, Share::Tokens);
}

Layer front(const AudioTower& t) {
  Layer layer = t.downsample_hidden_size > 0 ? over_both(t) : over_time(t);
  layer += elementwise("positions", 2 * std::uint64_t{t.d_model}, t.d_model, Share::Tokens);
  if (t.num_position_embeddings > 0)
    layer.operators.back().parameters = std::uint64_t{t.num_position_embeddings} * t.d_model;
  return at_end(layer);
}

Layer projector(const AudioTower& t) {
  Layer tokens = layer_norm(t.d_model);
  if (t.hidden_projection)
    tokens += linear_with_bias("merger in", t.d_model, t.d_model, Share::Columns) +
              nonlinear("merger activation", t.d_model, t.d_model, Share::Inner) +
              linear_with_bias("merger out", t.d_model, t.output_dim, Share::Rows);
  else
    tokens += linear_with_bias("merger in", t.d_model, t.output_dim, Share::Tokens);
  Layer layer;
  if (t.rule.pool > 1) layer += elementwise("pooling", t.d_model, t.d_model / t.rule.pool, Share::Tokens);
  layer += once_per(tokens, t.rule.pool);
  if (t.hidden_projection) layer += tensor_parallel_sublayer();
  if (t.extra_embeddings > 0)
    layer += parameters(std::uint64_t{t.extra_embeddings} * t.output_dim, Share::Tokens);
  return at_end(layer);
}

// A layer of a vision transformer, without rotary positions. Keys have no bias.
Layer tower_layer(const AudioTower& t) {
  VisionTower like;
  like.hidden_size = t.d_model;
  like.num_heads = t.encoder_attention_heads;
  like.intermediate_size = t.encoder_ffn_dim;
  like.rotary = false;
  like.key_bias = t.key_bias;
  return tower_layer(like, t.window_positions);
}

}  // namespace

double frames_per_position(const AudioTower& tower) {
  return static_cast<double>(tower.rule.chunk) / positions_of(tower.rule.chunk, tower.rule);
}

std::vector<Layer> layers_of(const AudioTower& t) {
  std::vector<Layer> layers(t.encoder_layers, tower_layer(t));
  layers.front() += front(t);
  layers.back() += projector(t);
  return layers;
}

std::vector<Violation> check_architecture(const AudioTower& t) {
  std::vector<Violation> violations = check_sizes({{"encoder_layers", t.encoder_layers, kMostLayers},
                                                   {"d_model", t.d_model},
                                                   {"encoder_ffn_dim", t.encoder_ffn_dim},
                                                   {"encoder_attention_heads", t.encoder_attention_heads},
                                                   {"num_mel_bins", t.num_mel_bins, kMostMelBins},
                                                   {"output_dim", t.output_dim}});
  require_at_most(violations, "num_position_embeddings", t.num_position_embeddings, kMostSize);
  require_at_most(violations, "downsample_hidden_size", t.downsample_hidden_size, kMostChannels);
  require_divides(violations, "encoder_attention_heads", t.encoder_attention_heads, t.d_model);
  return violations;
}

}  // namespace spillway
