// Features made in one stage for a later one cross every boundary between them: side features of a tower
// (DeepStack), and the model's hidden states for a prediction layer.
#include <cstdint>
#include <vector>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

// Puts one layer on each of 6 ranks: 2 of the tower and 4 of the backbone, of which `text` are decoder
// layers.
SmallJob a_layer_each(std::vector<std::uint32_t> taps, TextModel text) {
  SmallJob job;
  job.pipeline = {6, 2, 1};
  VisionTower tower = small_vit();
  tower.deepstack_visual_indexes = std::move(taps);
  job.costs.blocks[0].architecture = tower;
  job.costs.blocks[1].architecture = std::move(text);
  return job;
}

// Returns the bytes that the first microbatch sends into layer 1, 2, ... of the model. It has 20 patches in 5
// image tokens of 10 tokens.
std::vector<double> bytes_by_boundary(const SmallJob& job) {
  const Derived derived = job.derive_as("1f1b", {}, {1, 1, 1, 1, 1, 1});
  const AnalyticCostModel model = job.priced(derived);
  std::vector<double> bytes(5);
  for (const Event& event : derived.order.events())
    if (event.kind == EventKind::Collective && event.comm == Comm::Send &&
        event.microbatch == MicrobatchId(0))
      bytes[event.rank.index()] = model.transfer(event, ReplicaId(0)).payload.value();
  return bytes;
}

// 2 bytes an element: 20 patches x (8 + 16 / 4); 5 image tokens x 16 x (1 + 2); 10 tokens x 16 + 5 x 16; then
// 10 tokens x 16 alone.
TEST(CarriedFeatures, ByHand) {
  EXPECT_EQ(bytes_by_boundary(a_layer_each({0, 1}, small_deepseek())),
            (std::vector<double>{480, 480, 480, 320, 320}));
  EXPECT_EQ(bytes_by_boundary(a_layer_each({}, small_deepseek())),
            (std::vector<double>{320, 160, 320, 320, 320}));
}

// Feature i is made at a tap and consumed by decoder layer i.
RC_GTEST_PROP(CarriedFeatures, CrossEveryBoundaryBetween, (bool separate)) {
  std::vector<std::uint32_t> taps;
  for (const std::uint32_t layer : {0U, 1U})
    if (*rc::gen::arbitrary<bool>()) taps.push_back(layer);
  TextModel text = small_deepseek();
  text.separate_vocabulary = separate;
  if (separate) text.num_hidden_layers = 2;
  const std::vector<double> bytes = bytes_by_boundary(a_layer_each(taps, text));
  for (std::uint32_t boundary = 1; boundary < 6; ++boundary) {
    double features = 0;
    for (std::uint32_t i = 0; i < taps.size(); ++i)
      if (taps[i] < boundary && boundary <= (separate ? 3 : 2) + i) ++features;
    const double elements = boundary < 2    ? 20 * (8 + features * 16 / 4)
                            : boundary == 2 ? 5 * 16 * (1 + features)
                                            : 10 * 16 + 5 * 16 * features;
    RC_ASSERT(bytes[boundary - 1] == 2 * elements);
  }
}

// A stage between the prediction layer and the head forwards the hidden states of both.
TEST(CarriedFeatures, BehindThePredictionLayerAreTheModelsOwn) {
  TextModel text = small_deepseek();
  text.separate_vocabulary = true;
  text.num_hidden_layers = 1;
  for (const std::uint32_t predicted : {1U, 3U}) {
    text.num_nextn_predict_layers = predicted;
    EXPECT_EQ(bytes_by_boundary(a_layer_each({}, text)),
              (std::vector<double>{320, 160, 320, 320, 320.0 * (1 + predicted)}));
  }
}

}  // namespace
}  // namespace spillway
