// Given durations: the charge of each layer, and the prices of a whole order.
#include "cost/given.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

BlockProfile profile(double forward, double input, double weight) {
  BlockProfile result{Seconds(forward), Seconds(input), Seconds(weight), {}, {}, {}, {}};
  return result;
}

GivenCosts costs() {
  GivenCosts result{{profile(1, 2, 4), profile(10, 20, 40)}, Seconds(0.5)};
  return result;
}

Derived two_ranks(bool encoder_trainable, bool backbone_trainable, const char* schedule, Cut cut,
                  std::uint32_t replicas = 1, std::vector<std::uint32_t> joined = {}) {
  const Model model(
      {{"enc", Role::Encoder, 2, encoder_trainable}, {"llm", Role::Backbone, 4, backbone_trainable}});
  DeriveOptions options{.pipeline = {2, 2, replicas}};
  options.joined_replicas = std::move(joined);
  return derive(model, std::get<Schedule>(parse_schedule(schedule)), cut, options);
}

double forward(const GivenCosts& given, const Derived& derived, std::uint32_t stage,
               std::uint32_t microbatch = 0) {
  return GivenCostModel(given, derived)
      .pass(Pass::Forward, StageId(stage), MicrobatchId(microbatch), ReplicaId(0))
      .value();
}

double backward(const Derived& derived, std::uint32_t stage) {
  return GivenCostModel(costs(), derived)
      .pass(Pass::Backward, StageId(stage), MicrobatchId(0), ReplicaId(0))
      .value();
}

// Six layers lie on two ranks: the first has both encoder layers and one backbone layer.
TEST(GivenCosts, SumLayersOfEveryBlock) {
  const Derived derived = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(forward(costs(), derived, 0), 2 * 1 + 10);
  EXPECT_EQ(forward(costs(), derived, 1), 3 * 10);
}

TEST(GivenCosts, ChargeGradientsByLayer) {
  const Derived both = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(backward(both, 0), 2 * (2 + 4) + 60);
  const Derived frozen_encoder = two_ranks(false, true, "1f1b", {});
  EXPECT_EQ(backward(frozen_encoder, 0), 60);
  const Derived frozen_backbone = two_ranks(true, false, "1f1b", {});
  EXPECT_EQ(backward(frozen_backbone, 0), 2 * (2 + 4) + 20);
  EXPECT_EQ(backward(frozen_backbone, 1), 3 * 20);
}

// DualPipeV on one rank overlaps a forward of its second stage with a backward of its first. F = 1 and B = 2
// per layer; `blocks` are the layers of each block.
double overlapped(std::vector<std::uint32_t> layers, double fused, const std::vector<std::uint32_t>& blocks) {
  GivenCosts given{{}, Seconds()};
  std::vector<Block> llm;
  for (const std::uint32_t block : blocks) {
    llm.push_back({"llm" + std::to_string(llm.size()), Role::Backbone, block, true});
    given.blocks.push_back(profile(1, 1, 1));
    given.blocks.back().fused_forward_backward = Seconds(fused);
  }
  const Derived derived = derive(Model(llm), std::get<Schedule>(parse_schedule("dualpipev")), {},
                                 {.pipeline = {1, 2}, .layers_per_rank = layers});
  for (const Event& event : derived.order.events()) {
    if (event.kind != EventKind::ForwardBackward) continue;
    return GivenCostModel(given, derived).overlapped(event, ReplicaId(0)).value();
  }
  throw ContractBreach("no overlapped event");
}

double overlapped(const std::vector<std::uint32_t>& layers, double fused) {
  return overlapped(layers, fused, {layers[0] + layers[1]});
}

TEST(GivenCosts, OverlappedTakeWhatTheyDoTogether) {
  for (double fused : {0.0, 2.0, 2.5, 3.0, 4.0}) EXPECT_DOUBLE_EQ(overlapped({2, 2}, fused), 2 * fused);
  EXPECT_DOUBLE_EQ(overlapped({2, 1}, 2.5), 1 + 4 - 0.5 * 1);
  EXPECT_DOUBLE_EQ(overlapped({1, 2}, 2.5), 2 + 2 - 0.5 * 2);
}

TEST(GivenCosts, OverlappedNeverTakeLessThanNoTime) {
  EXPECT_EQ(overlapped({1, 2}, 0), 0);
  EXPECT_EQ(overlapped({2, 1}, 0), 1 + 4 - 3 * 1);
}

TEST(GivenCosts, OverlappedHideInOtherBlocksAsInTheirOwn) {
  for (double fused : {2.0, 2.5, 3.0}) {
    EXPECT_DOUBLE_EQ(overlapped({2, 2}, fused, {2, 2}), overlapped({2, 2}, fused));
    EXPECT_DOUBLE_EQ(overlapped({2, 1}, fused, {1, 2}), overlapped({2, 1}, fused));
  }
}

TEST(GivenCosts, ScaleByTheWorkOfTheMicrobatch) {
  GivenCosts given = costs();
  given.blocks[0].work = {{1, 3}};
  const Derived derived = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(forward(given, derived, 0, 0), 2 + 10);
  EXPECT_EQ(forward(given, derived, 0, 1), 6 + 10);
}

TEST(GivenCosts, BackwardsMayHaveWorkOfTheirOwn) {
  GivenCosts given = costs();
  given.blocks[0].work = {{1, 3}};
  given.blocks[0].backward_work = {{5, 7}};
  const Derived derived = two_ranks(true, true, "1f1b", {});
  const auto time = [&](Pass pass) {
    return GivenCostModel(given, derived).pass(pass, StageId(0), MicrobatchId(1), ReplicaId(0)).value();
  };
  EXPECT_EQ(time(Pass::Forward), 2 * 1 * 3 + 10);
  EXPECT_EQ(time(Pass::Backward), 2 * (2 + 4) * 7 + 60);
  EXPECT_EQ(time(Pass::InputGradient), 2 * 2 * 7 + 20);
  EXPECT_EQ(time(Pass::WeightGradient), 2 * 4 * 7 + 40);
}

TEST(GivenCosts, ReductionsMayTakeAnotherTime) {
  GivenCosts given = costs();
  given.reduction = Seconds(3);
  const Derived derived = two_ranks(true, true, "1f1b", {}, 2);
  for (const Event& event : derived.order.events()) {
    const Seconds time = GivenCostModel(given, derived).transfer(event, ReplicaId(0)).alone;
    if (event.kind == EventKind::DpReduce) {
      EXPECT_EQ(time, Seconds(3));
    } else if (event.kind == EventKind::Collective && event.rank != event.peer_rank) {
      EXPECT_EQ(time, Seconds(0.5));
    }
  }
}

// Two encoder layers hold 8 bytes at work 3. Four backbone layers hold 100, of which 30 wait for the weight
// gradient.
GivenCosts with_memory() {
  GivenCosts given = costs();
  given.blocks[0].activation = Bytes(8);
  given.blocks[0].work = {{1, 3}};
  given.blocks[0].state = {Bytes(1), Bytes(2), Bytes(3)};
  given.blocks[1].activation = Bytes(100);
  given.blocks[1].weight_gradient_activation = Bytes(30);
  given.blocks[1].work = {{1, 3}};
  given.blocks[1].state = {Bytes(10), Bytes(20), Bytes(30)};
  return given;
}

Held held(const GivenCosts& given, const Derived& derived, std::uint32_t stage, std::uint32_t microbatch) {
  return GivenCostModel(given, derived).held(StageId(stage), MicrobatchId(microbatch), ReplicaId(0));
}

// Work is a microbatch's size and scales the activations of every block. Where backwards have their own
// factors, these are measured times and scale nothing.
TEST(GivenMemory, HoldsActivationsOfLayersWithABackward) {
  const Derived both = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(held(with_memory(), both, 0, 0), (Held{Bytes(2 * 8 + 100), Bytes(2 * 4 + 30), Bytes()}));
  EXPECT_EQ(held(with_memory(), both, 0, 1), (Held{Bytes(6 * 8 + 300), Bytes(6 * 4 + 90), Bytes()}));
  EXPECT_EQ(held(with_memory(), both, 1, 1), (Held{Bytes(900), Bytes(270), Bytes()}));
  const Derived frozen_encoder = two_ranks(false, true, "1f1b", {});
  EXPECT_EQ(held(with_memory(), frozen_encoder, 0, 1), (Held{Bytes(300), Bytes(90), Bytes()}));
  GivenCosts measured = with_memory();
  measured.blocks[1].backward_work = {{1, 2}};
  EXPECT_EQ(held(measured, both, 1, 1), (Held{Bytes(300), Bytes(90), Bytes()}));
  const Derived frozen_backbone = two_ranks(true, false, "1f1b", {});
  EXPECT_EQ(held(with_memory(), frozen_backbone, 1, 0), (Held{Bytes(300), Bytes(), Bytes()}));
}

TEST(GivenMemory, GradientsAndOptimizerBelongToTrainedLayers) {
  const Derived both = two_ranks(true, true, "1f1b", {});
  const Derived frozen = two_ranks(false, true, "1f1b", {});
  const auto state = [](const Derived& derived) {
    return GivenCostModel(with_memory(), derived).model_state(StageId(0));
  };
  EXPECT_EQ(state(both), (ModelState{Bytes(12), Bytes(24), Bytes(36)}));
  EXPECT_EQ(state(frozen), (ModelState{Bytes(12), Bytes(20), Bytes(30)}));
}

// An unstated amount of memory matters only where a backward needs it.
TEST(GivenMemory, IsStatedWhereEveryBackwardsActivationsAre) {
  GivenCosts given = with_memory();
  given.blocks[0].activation.reset();
  EXPECT_FALSE(states_memory(given, two_ranks(true, true, "1f1b", {}).model));
  EXPECT_TRUE(states_memory(given, two_ranks(false, true, "1f1b", {}).model));
  given.blocks[1].activation.reset();
  EXPECT_FALSE(states_memory(given, two_ranks(false, true, "1f1b", {}).model));
  EXPECT_TRUE(states_memory(given, two_ranks(false, false, "1f1b", {}).model));
}

// Every transfer between ranks takes 0.5 s, and so does a reduction over several replicas. No bytes are
// charged.
TEST(Price, ChargesTransfersBetweenDifferentRanksOnly) {
  const Derived derived = two_ranks(true, true, "transpose,1f1b", {{2}});
  const Prices prices = price(derived, GivenCostModel(costs(), derived));
  for (std::uint32_t i = 0; i < derived.order.event_count(); ++i) {
    const Event& event = derived.order.event(EventId(i));
    if (!event.communicates()) continue;
    const bool crosses = event.kind == EventKind::DpReduce ? event.group == Group::ReplicaGroup
                                                           : event.rank != event.peer_rank;
    EXPECT_EQ(prices.durations.at(EventId(i), 0), Seconds(crosses ? 0.5 : 0)) << event_name(event, derived);
    EXPECT_EQ(prices.payload.at(EventId(i), 0), Bytes(0));
  }
}

TEST(Price, TakesTheSlowestOfJoinedReplicas) {
  GivenCosts given = costs();
  given.blocks[1].work = {{1, 1}, {3, 1}, {1, 2}, {1, 1}};
  const Derived derived = two_ranks(true, true, "transpose,1f1b", {{2}}, 4, {1, 2});
  const Prices prices = price(derived, GivenCostModel(given, derived));
  for (std::uint32_t i = 0; i < derived.order.event_count(); ++i) {
    const Event& event = derived.order.event(EventId(i));
    if (event.kind != EventKind::Forward || derived.stage(event.stage).region != RegionId(1)) continue;
    const double first_pair = event.microbatch == MicrobatchId(0) ? 3 : 1;
    const double second_pair = event.microbatch == MicrobatchId(0) ? 1 : 2;
    EXPECT_EQ(prices.durations.at(EventId(i), 0), Seconds(20 * first_pair));
    EXPECT_EQ(prices.durations.at(EventId(i), 1), Seconds(20 * first_pair));
    EXPECT_EQ(prices.durations.at(EventId(i), 2), Seconds(20 * second_pair));
    EXPECT_EQ(prices.durations.at(EventId(i), 3), Seconds(20 * second_pair));
  }
}

}  // namespace
}  // namespace spillway
