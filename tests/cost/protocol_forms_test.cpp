// The protocols' forms by hand, when they apply, and that fewer resources never make them shorter.
#include "cost/network/protocol_forms.h"

#include <gtest/gtest.h>

#include "cost/network/collectives.h"
#include "small_platform.h"
#include "support/property.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

constexpr double kMicro = 1e-6;

// Sixteen switched devices at 100 GB/s; a message takes 11 us and a step 1 us.
Platform switched() {
  Platform platform = small_platform();
  platform.tiers = {{"node", 16, 0, chosen(microseconds(11)), gigabytes_per_second(100)},
                    {"cluster", 64, 1, chosen(microseconds(20)), gigabytes_per_second(10)}};
  platform.tiers[0].step_latency = chosen(microseconds(1));
  platform.tiers[0].protocols = Protocols{chosen(0.5),
                                          chosen(0.4),
                                          chosen(microseconds(6)),
                                          chosen(microseconds(5)),
                                          chosen(0.8),
                                          chosen(microseconds(30)),
                                          InSwitch{chosen(microseconds(40)), chosen(0.9)}};
  return platform;
}

double taken(CollectiveOperation operation, std::uint32_t devices, double bytes) {
  return collective_time(switched(), operation, {DeviceId(0), devices})(Bytes(bytes)).time.value() / kMicro;
}

// A launch takes 5 us. The ring passes 3 turns of 4 and half of another.
TEST(ProtocolForms, RingsByHand) {
  EXPECT_DOUBLE_EQ(taken(AllGather, 4, 1e5), 5 + 3 * 1 + 3.5 / 4 * 1e5 / 0.04e6);
  EXPECT_DOUBLE_EQ(taken(ReduceScatter, 4, 1e7), 5 + 4 * 6 + 3.5 / 4 * 1e7 / 0.1e6);
  EXPECT_DOUBLE_EQ(taken(AllReduce, 4, 1e5), 5 + 6 * 1 + 6.5 / 4 * 1e5 / 0.04e6);
  EXPECT_DOUBLE_EQ(taken(AllReduce, 2, 1e8), 5 + 3 * 6 + 2.5 / 2 * 1e8 / 0.1e6);
}

TEST(ProtocolForms, SwitchesAndExchangesByHand) {
  EXPECT_DOUBLE_EQ(taken(AllReduce, 8, 1e8), 5 + 40 + 1.125 * 1e8 / 0.09e6);
  EXPECT_DOUBLE_EQ(taken(AllToAll, 8, 1e5), 5 + 1 + 5 + 7.5 / 8 * 1e5 / 0.08e6);
  EXPECT_DOUBLE_EQ(taken(AllToAll, 8, 1e8), 5 + 1 + 5 + 30 + 7.5 / 8 * 1e8 / 0.1e6);
}

TEST(ProtocolForms, AreTakenInOneGroupOfTheFirstTierWithoutASweep) {
  Platform platform = switched();
  const auto algorithm = [&](CollectiveOperation operation, const DeviceGroup& group) {
    return collective_time(platform, operation, group)(Bytes(1e6)).algorithm;
  };
  EXPECT_EQ(algorithm(AllGather, {DeviceId(0), 4, 2}), Algorithm::Protocol);
  EXPECT_NE(algorithm(AllGather, {DeviceId(0), 32}), Algorithm::Protocol);
  EXPECT_EQ(algorithm(SendRecv, {DeviceId(0), 2}), Algorithm::Pairwise);
  platform.tiers[0].collectives.push_back(
      {AllGather, 4, 1, {{{Bytes(1), Seconds(1)}}, Evidence::Measured, "a sweep"}});
  EXPECT_EQ(algorithm(AllGather, {DeviceId(0), 4, 2}), Algorithm::Measured);
  platform.tiers[0].protocols.reset();
  EXPECT_EQ(algorithm(AllReduce, {DeviceId(0), 4}), Algorithm::Ring);
}

TEST(ProtocolForms, AreExtrapolatedBeyondTheirSweeps) {
  Platform platform = switched();
  Protocols& protocols = *platform.tiers[0].protocols;
  const auto evidence = [&](std::uint32_t devices) {
    return collective_time(platform, AllGather, {DeviceId(0), devices})(Bytes(1e8)).evidence;
  };
  EXPECT_EQ(evidence(8), Evidence::Assumed);
  for (Tier* tier : {&platform.tiers[0]})
    tier->latency.evidence = tier->bandwidth.evidence = tier->step_latency->evidence = Evidence::Measured;
  protocols.launch.evidence = protocols.bulk_step.evidence = Evidence::Fitted;
  EXPECT_EQ(evidence(8), Evidence::Fitted);
  EXPECT_EQ(evidence(9), Evidence::Extrapolated);
}

// In-switch reduction halves the load of a port.
TEST(ProtocolForms, LoadPortsNoLongerThanTheyTake) {
  Platform platform = switched();
  for (const CollectiveOperation operation : {AllGather, ReduceScatter, AllReduce, AllToAll})
    for (std::uint32_t devices = 2; devices <= 16; ++devices) {
      const CollectiveTime time = collective_time(platform, operation, {DeviceId(0), devices});
      const Bytes n(1e9);
      EXPECT_LE(time.through_port(n) / platform.ports[0].bandwidth.value, time(n).time);
    }
  EXPECT_EQ(collective_time(platform, AllReduce, {DeviceId(0), 4}).through_port(Bytes(1)), Bytes(1));
  platform.tiers[0].protocols->in_switch.reset();
  EXPECT_EQ(collective_time(platform, AllReduce, {DeviceId(0), 4}).through_port(Bytes(1)), Bytes(1.5));
}

RC_GTEST_PROP(ProtocolForms, LessOfAnythingIsNeverShorter, ()) {
  const Platform platform = switched();
  Platform less = platform;
  const double factor = *rc::gen::element(0.99, 0.9, 0.5, 0.1);
  Tier& tier = less.tiers[0];
  Protocols& protocols = *tier.protocols;
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      tier.bandwidth.value = tier.bandwidth.value * factor;
      break;
    case 1:
      tier.latency.value = tier.latency.value / factor;
      break;
    case 2:
      tier.latency.value += microseconds(1 / factor);
      tier.step_latency->value += microseconds(1 / factor);
      break;
    case 3:
      protocols.small.value *= factor;
      break;
    case 4:
      protocols.bulk_step.value = protocols.bulk_step.value / factor;
      break;
    case 5:
      protocols.exchange_small.value *= factor;
      break;
    default:
      protocols.in_switch->bandwidth.value *= factor;
  }
  const auto operation = *rc::gen::element(AllGather, ReduceScatter, AllReduce, AllToAll);
  const DeviceGroup group{DeviceId(0), *rc::gen::inRange(2u, 17u)};
  const Bytes n(*rc::gen::element(0.0, 1e3, 1e5, 3e6, 1e8, 1e10)), more = n * 1.01;
  const Seconds before = collective_time(platform, operation, group)(n).time;
  RC_ASSERT(collective_time(less, operation, group)(n).time >= before);
  RC_ASSERT(collective_time(platform, operation, group)(more).time >= before);
}

}  // namespace
}  // namespace spillway
