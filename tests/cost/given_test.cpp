// Given durations: what each layer is charged, and the prices of a whole order.
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
               std::uint32_t microbatch = 0, EncoderWork work = EncoderWork::Counted) {
  return GivenCostModel(given)
      .pass(derived, Pass::Forward, StageId(stage), MicrobatchId(microbatch), ReplicaId(0), work)
      .value();
}

double backward(const Derived& derived, std::uint32_t stage) {
  return GivenCostModel(costs())
      .pass(derived, Pass::Backward, StageId(stage), MicrobatchId(0), ReplicaId(0), EncoderWork::Counted)
      .value();
}

// Six layers over two ranks: the first has the encoder's two and one of the backbone's.
TEST(GivenCosts, SumLayersOfEveryBlock) {
  const Derived derived = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(forward(costs(), derived, 0), 2 * 1 + 10);
  EXPECT_EQ(forward(costs(), derived, 1), 3 * 10);
  EXPECT_EQ(forward(costs(), derived, 0, 0, EncoderWork::Free), 10);
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

TEST(GivenCosts, ScaleByTheWorkOfTheMicrobatch) {
  GivenCosts given = costs();
  given.blocks[0].work = {{1, 3}};
  const Derived derived = two_ranks(true, true, "1f1b", {});
  EXPECT_EQ(forward(given, derived, 0, 0), 2 + 10);
  EXPECT_EQ(forward(given, derived, 0, 1), 6 + 10);
}

// Every transfer between ranks takes 0.5 s, and so does a reduction with someone to reduce with; bytes move
// nowhere.
TEST(Price, ChargesTransfersBetweenDifferentRanksOnly) {
  const Derived derived = two_ranks(true, true, "transpose,1f1b", {{2}});
  const Prices prices = price(derived, GivenCostModel(costs()));
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
  const Prices prices = price(derived, GivenCostModel(given));
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
