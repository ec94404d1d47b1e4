#include "model/model.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace spillway {
namespace {

const Model kVlm({{"enc", Role::Encoder, 4, false},
                  {"llm", Role::Backbone, 8, true},
                  {"gen", Role::Generator, 2, false}});

TEST(Model, LayersCountThroughTheBlocks) {
  EXPECT_EQ(kVlm.layer_count(), 14U);
  EXPECT_EQ(kVlm.layers_of(0), (LayerRange{0, 4}));
  EXPECT_EQ(kVlm.layers_of(1), (LayerRange{4, 12}));
  EXPECT_EQ(kVlm.layers_of(2), (LayerRange{12, 14}));
}

TEST(Model, ARangeIsTrainableIfAnyOfItsLayersIs) {
  EXPECT_FALSE(kVlm.trainable({0, 4}));
  EXPECT_TRUE(kVlm.trainable({0, 5}));
  EXPECT_TRUE(kVlm.trainable({11, 14}));
  EXPECT_FALSE(kVlm.trainable({12, 14}));
  EXPECT_FALSE(kVlm.trainable({6, 6}));
}

TEST(Model, PartOfABlockInsideARange) {
  EXPECT_EQ(kVlm.part_of(1, {2, 6}), (LayerRange{4, 6}));
  EXPECT_EQ(kVlm.part_of(1, {6, 13}), (LayerRange{6, 12}));
  EXPECT_EQ(kVlm.part_of(2, {0, 12}).size(), 0U);
  EXPECT_EQ(kVlm.part_of(0, {4, 14}).size(), 0U);
}

TEST(Model, RolesFollowTheName) {
  EXPECT_EQ(role_from_name("enc"), Role::Encoder);
  EXPECT_EQ(role_from_name("encoder-2"), Role::Encoder);
  EXPECT_EQ(role_from_name("generator"), Role::Generator);
  EXPECT_EQ(role_from_name("llm"), Role::Backbone);
  EXPECT_EQ(role_from_name("my-enc"), Role::Backbone);
}

TEST(Model, NeedsABlockAndEveryBlockALayer) {
  EXPECT_THROW(Model({}), ContractBreach);
  EXPECT_THROW(Model({{"llm", Role::Backbone, 0, true}}), ContractBreach);
}

}  // namespace
}  // namespace spillway
