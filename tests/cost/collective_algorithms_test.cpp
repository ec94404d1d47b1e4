// Closed forms against their steps, and both against lower bounds of any algorithm.
#include "cost/network/collective_algorithms.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <set>

#include "cost/network/collective_layout.h"
#include "small_platform.h"
#include "step_times.h"
#include "support/property.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

constexpr std::array kAlgorithms{Algorithm::Ring,     Algorithm::Tree,         Algorithm::Mesh,
                                 Algorithm::Pairwise, Algorithm::Hierarchical, Algorithm::HalvingDoubling};
constexpr std::array kOperations{AllReduce, AllGather, ReduceScatter, AllToAll};

// Either pairs over a bridge, and nodes and the cluster over one network port; or nodes over their own links.
Platform random_platform() {
  Platform platform = small_platform();
  platform.tiers.back().devices = 1024;
  if (*rc::gen::arbitrary<bool>()) platform.library = CollectiveLibrary::Hccl;
  if (*rc::gen::arbitrary<bool>()) platform.contention = false;
  if (*rc::gen::arbitrary<bool>()) platform.tiers[1].port = 0;
  if (*rc::gen::arbitrary<bool>()) platform.tiers.erase(platform.tiers.begin());
  if (*rc::gen::arbitrary<bool>()) platform.ports[1].bandwidth = gigabytes_per_second(400);
  for (Tier& tier : platform.tiers) tier.wiring = *rc::gen::element(Wiring::Switched, Wiring::Mesh);
  const double stepping = *rc::gen::inRange(0, 5) / 4.0;  // as a share of a message's latency
  for (Tier& tier : platform.tiers) tier.step_latency = chosen(tier.latency.value * stepping);
  return platform;
}

DeviceGroup random_group() {
  DeviceGroup group{DeviceId(*rc::gen::inRange(0u, 20u)), *rc::gen::inRange(1u, 18u)};
  group.stride = *rc::gen::element(1u, 2u, 3u, 4u, 8u, 11u);
  group.blocks = *rc::gen::inRange(1u, 4u);
  const bool interleaved = group.stride >= group.blocks && *rc::gen::arbitrary<bool>();
  group.block_stride = interleaved ? 1 : group.size * group.stride + *rc::gen::inRange(0u, 5u);
  RC_PRE(group.device_count() > 1);
  return group;
}

Seconds fastest(const std::vector<ClosedForm>& forms, Bytes n) {
  Seconds best(std::numeric_limits<double>::infinity());
  for (const ClosedForm& form : forms) best = std::min(best, form(n));
  return best;
}

RC_GTEST_PROP(CollectiveAlgorithms, ClosedFormsAreTheSumOfTheirSteps, ()) {
  const Platform platform = random_platform();
  const DeviceGroup group = random_group();
  const Bytes n(*rc::gen::element(0.0, 1e3, 1e5, 1e7, 1e9));
  for (const CollectiveOperation operation : kOperations) {
    for (const Algorithm algorithm : kAlgorithms) {
      const std::vector<ClosedForm> forms = closed_forms(platform, operation, algorithm, group);
      if (forms.empty()) continue;
      const double closed = fastest(forms, n).value();
      const double stepped =
          time_of(platform, collective_steps(platform, operation, algorithm, group, n)).value();
      RC_ASSERT(std::abs(closed - stepped) <= 1e-9 * stepped);
    }
  }
}

// A device receives at least (N-1)/N of n over all its ports, or twice that in an all-reduce. No collective
// ends before the farthest two devices have met.
RC_GTEST_PROP(CollectiveAlgorithms, AreNoFasterThanThePortsAndTheFarthestPair, ()) {
  const Platform platform = random_platform();
  const DeviceGroup group = random_group();
  const Bytes n(*rc::gen::element(1e3, 1e6, 1e9));
  const double devices = group.device_count();
  const Seconds farthest = platform.tiers[widest_tier(platform, devices_of(platform, group))].latency.value;
  BytesPerSecond ports;
  for (const NetworkPort& port : platform.ports) ports += port.bandwidth.value;
  for (const CollectiveOperation operation : kOperations) {
    const Seconds transfer = n * ((operation == AllReduce ? 2 : 1) * (devices - 1) / devices) / ports;
    for (const Algorithm algorithm : kAlgorithms) {
      for (const ClosedForm& form : closed_forms(platform, operation, algorithm, group)) {
        if (platform.contention) RC_ASSERT(form(n).value() >= transfer.value() * (1 - 1e-9));
        RC_ASSERT(form(Bytes(0)) >= farthest);
        RC_ASSERT(form(n) < form(n * 2));
      }
    }
  }
}

// Each device receives N-1 parts of n/N in every all-gather and reduce-scatter but those of a tree, and twice
// as many in an all-reduce. It sends as much.
RC_GTEST_PROP(CollectiveAlgorithms, MoveEveryPartOnce, ()) {
  const Platform platform = random_platform();
  const DeviceGroup group = random_group();
  const double devices = group.device_count();
  for (const CollectiveOperation operation : {AllReduce, AllGather, ReduceScatter}) {
    for (const Algorithm algorithm :
         {Algorithm::Ring, Algorithm::Mesh, Algorithm::HalvingDoubling, Algorithm::Hierarchical}) {
      if (closed_forms(platform, operation, algorithm, group).empty()) continue;
      std::map<DeviceId, double> in, out;
      for (const CollectiveStep& step : collective_steps(platform, operation, algorithm, group, Bytes(1))) {
        for (const StepFlow& flow : step.flows) {
          in[flow.to] += flow.bytes.value();
          out[flow.from] += flow.bytes.value();
        }
      }
      const double expected = (operation == AllReduce ? 2 : 1) * (devices - 1) / devices;
      for (std::uint32_t i = 0; i < group.device_count(); ++i) {
        RC_ASSERT(std::abs(in[group.device(i)] - expected) < 1e-9);
        RC_ASSERT(std::abs(out[group.device(i)] - expected) < 1e-9);
      }
    }
  }
}

// Every device sends to every other device once.
RC_GTEST_PROP(CollectiveAlgorithms, MeetEveryPeerOnceInPairs, ()) {
  const Platform platform = random_platform();
  const DeviceGroup group = random_group();
  std::set<std::pair<DeviceId, DeviceId>> met;
  for (const CollectiveStep& step :
       collective_steps(platform, AllToAll, Algorithm::Pairwise, group, Bytes(1))) {
    for (const StepFlow& flow : step.flows) {
      RC_ASSERT(flow.from != flow.to);
      RC_ASSERT(met.insert({flow.from, flow.to}).second);
    }
  }
  RC_ASSERT(met.size() == std::size_t{group.device_count()} * (group.device_count() - 1));
}

// Parts are spread along the flows: after an all-gather in doubling steps all devices hold all N parts.
TEST(HalvingDoubling, GathersEverythingForAnyNumberOfDevices) {
  Platform platform = small_platform();
  for (std::uint32_t size = 2; size <= 17; ++size) {
    std::map<DeviceId, std::set<DeviceId>> held;
    const DeviceGroup group{DeviceId(0), size};
    for (std::uint32_t i = 0; i < size; ++i) held[DeviceId(i)] = {DeviceId(i)};
    for (const CollectiveStep& step :
         collective_steps(platform, AllGather, Algorithm::HalvingDoubling, group, Bytes(size))) {
      const auto before = held;
      for (const StepFlow& flow : step.flows) {
        std::size_t fresh = held[flow.to].size();
        held[flow.to].insert(before.at(flow.from).begin(), before.at(flow.from).end());
        fresh = held[flow.to].size() - fresh;
        EXPECT_NEAR(flow.bytes.value(), static_cast<double>(fresh), 1e-9);
      }
    }
    for (const auto& [device, parts] : held) EXPECT_EQ(parts.size(), size);
  }
}

double microseconds_of(CollectiveOperation operation, Algorithm algorithm, const DeviceGroup& group) {
  return fastest(closed_forms(small_platform(), operation, algorithm, group), Bytes(1e6)).value() * 1e6;
}

// Four devices of a node take three steps, each of 2 us and a quarter of 20 us; all-reduce takes twice that.
TEST(Ring, TakesOneStepLessThanDevices) {
  const DeviceGroup four{DeviceId(0), 4, 2};
  EXPECT_DOUBLE_EQ(microseconds_of(AllGather, Algorithm::Ring, four), 3 * (2 + 5));
  EXPECT_DOUBLE_EQ(microseconds_of(AllReduce, Algorithm::Ring, four), 6 * (2 + 5));
}

// A platform whose step latency is below its message latency: a launch takes 1.5 of a message's 2 us.
Platform quick_to_step() {
  Platform platform = small_platform();
  platform.tiers[1].step_latency = chosen(microseconds(0.5));
  platform.tiers[2].step_latency = chosen(microseconds(3));
  return platform;
}

double quick_microseconds_of(CollectiveOperation operation, Algorithm algorithm, const DeviceGroup& group) {
  return fastest(closed_forms(quick_to_step(), operation, algorithm, group), Bytes(1e6)).value() * 1e6;
}

TEST(StepLatency, LeavesTheLaunchToTheFirst) {
  const DeviceGroup four{DeviceId(0), 4, 2};
  EXPECT_DOUBLE_EQ(quick_microseconds_of(AllGather, Algorithm::Ring, four), 1.5 + 3 * (0.5 + 5));
  EXPECT_DOUBLE_EQ(quick_microseconds_of(AllReduce, Algorithm::Tree, four), 1.5 + 4 * (0.5 + 20));
  EXPECT_DOUBLE_EQ(quick_microseconds_of(AllToAll, Algorithm::Mesh, four), 1.5 + 0.5 + 15);
}

// The collective crosses two tiers; the cluster's launch is the longer: 7 of its 10 us.
TEST(StepLatency, LaunchesTheLevelsTogether) {
  EXPECT_DOUBLE_EQ(quick_microseconds_of(AllReduce, Algorithm::Hierarchical, {DeviceId(0), 8, 2}),
                   7 + 6 * (0.5 + 5) + 2 * (3 + 12.5));
}

TEST(StepLatency, LeavesMessagesAsTheyAre) {
  EXPECT_DOUBLE_EQ(quick_microseconds_of(SendRecv, Algorithm::Pairwise, {DeviceId(0), 2, 2}), 2 + 20);
}

// Devices 0-3 in two pairs form two rings, each over its own link between the pairs, with an eighth of n a
// step.
TEST(Ring, RunsThroughEveryMemberOfANode) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllGather, Algorithm::Ring, {DeviceId(0), 4}), 3 * (2 + 2.5));
}

// 5 and 3 devices of two nodes, where each device is alone in its pair, form three rings: a 24th of n crosses
// between the nodes.
TEST(Ring, TakesAsManyWaysOutAsTheSmallestPart) {
  const DeviceGroup uneven{DeviceId(3), 8};
  Platform platform = small_platform();
  platform.tiers.erase(platform.tiers.begin());
  const Seconds time = fastest(closed_forms(platform, AllGather, Algorithm::Ring, uneven), Bytes(1e6));
  EXPECT_NEAR(time.value() * 1e6, 7 * (10 + 100 / 24.0), 1e-9);
}

// Eight devices exchange at distances 1, 2 and 4, over the pair, the node and the node.
TEST(Tree, GoesUpAndDownOncePerDoubling) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllReduce, Algorithm::Tree, {DeviceId(0), 8}),
                   2 * ((1 + 10) + (2 + 20) + (2 + 20)));
}

// Four devices of a node: a device has one peer in its pair and two in the node, behind one port of 50 GB/s.
TEST(Mesh, SharesThePort) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllToAll, Algorithm::Mesh, {DeviceId(0), 4}), 2 + 10);
}

// Half of n moves within the pair and a quarter beyond it.
TEST(HalvingDoubling, MovesMostBetweenTheNearest) {
  EXPECT_DOUBLE_EQ(microseconds_of(ReduceScatter, Algorithm::HalvingDoubling, {DeviceId(0), 4}),
                   (1 + 5) + (2 + 5));
}

// Each of 16 devices on two nodes has 1 peer in its pair, 6 in its node and 8 beyond, and sends 1/16 to
// each.
TEST(Pairwise, ReachesEachPeerOverItsOwnTier) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllToAll, Algorithm::Pairwise, {DeviceId(0), 16}),
                   (1 + 10 / 16.0) + 6 * (2 + 20 / 16.0) + 8 * (10 + 100 / 16.0));
}

// Every step of devices 6, 7 and 8 has a pair that spans two nodes.
TEST(Pairwise, WaitsForTheMostDistantPair) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllToAll, Algorithm::Pairwise, {DeviceId(6), 3}), 2 * (10 + 100 / 3.0));
}

// Devices 0, 2, ..., 14 run rings of four in each node, then pairs of nodes with a quarter each, then rings
// again.
TEST(Hierarchical, ReducesInsideFirst) {
  EXPECT_DOUBLE_EQ(microseconds_of(AllReduce, Algorithm::Hierarchical, {DeviceId(0), 8, 2}),
                   6 * (2 + 5) + 2 * (10 + 12.5));
}

TEST(Hierarchical, NeedsAsManyMembersInEveryGroup) {
  EXPECT_TRUE(
      closed_forms(small_platform(), AllReduce, Algorithm::Hierarchical, {DeviceId(3), 8, 2}).empty());
}

TEST(CollectiveAlgorithms, RollUpTheWeakestNumberTheyRestOn) {
  Platform platform = small_platform();
  for (Tier& tier : platform.tiers) {
    tier.latency.evidence = Evidence::Measured;
    tier.bandwidth.evidence = Evidence::Vendor;
  }
  platform.ports[1].bandwidth.evidence = Evidence::Derived;
  const auto evidence = [&](Algorithm algorithm) {
    return closed_forms(platform, AllGather, algorithm, {DeviceId(0), 4, 2}).front().evidence;
  };
  EXPECT_EQ(evidence(Algorithm::Ring), Evidence::Vendor);
  platform.tiers[1].step_latency = chosen(microseconds(1));
  EXPECT_EQ(evidence(Algorithm::Ring), Evidence::Assumed);
  platform.tiers[1].step_latency.reset();
  EXPECT_EQ(evidence(Algorithm::Mesh), Evidence::Derived);  // three flows share the port
}

TEST(CollectiveAlgorithms, RefuseDevicesOutsideThePlatform) {
  EXPECT_THROW(closed_forms(small_platform(), AllGather, Algorithm::Ring, {DeviceId(60), 8}), ContractBreach);
}

}  // namespace
}  // namespace spillway
