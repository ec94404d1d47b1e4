// Collectives inside computing events, replayed as flows, take their price on an idle fabric and longer where
// they share links.
#include <gtest/gtest.h>

#include "cost/network/collectives.h"
#include "sim/slab_steps.h"
#include "small_cluster.h"
#include "support/pipelines.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

// Every event computes and runs the same collectives.
class FakeCosts final : public Pricing, public Breakdown {
 public:
  FakeCosts(Platform platform, DeviceGrid grid, Seconds computing, std::vector<SlabCollective> inside)
      : platform_(std::move(platform)), grid_(grid), computing_(computing), inside_(std::move(inside)) {}

  Seconds pass(Pass, StageId, MicrobatchId, ReplicaId) const override { return duration(); }
  Seconds overlapped(const Event&, ReplicaId) const override { return duration(); }
  Transfer transfer(const Event&, ReplicaId) const override { return {}; }
  // A group with more devices than a replica's members is shared by all replicas.
  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override {
    std::vector<SlabCollective> placed = inside_;
    for (SlabCollective& collective : placed) {
      const bool shared = collective.group.size > grid_.members;
      collective.group.first = grid_.device(event.rank, shared ? ReplicaId(0) : replica, 0);
    }
    return placed;
  }

 private:
  Seconds duration() const {
    Seconds exposed, hidden;
    for (const SlabCollective& c : inside_)
      (c.hidden ? hidden : exposed) +=
          collective_time(platform_, c.operation, c.group)(c.bytes).time * c.times;
    return std::max(computing_, hidden) + exposed;
  }

  Platform platform_;
  DeviceGrid grid_;
  Seconds computing_;
  std::vector<SlabCollective> inside_;
};

constexpr DeviceGrid kFilled{2, 2, 4};  // fills the small cluster: each rank of a replica has a node

Derived two_ranks(const std::string& text, std::uint32_t microbatches) {
  const Schedule parsed = schedule(text);
  const Model model({{"llm", Role::Backbone, stages_of(parsed.skeletons.front(), 2), true}});
  DeriveOptions options{.pipeline = {2, microbatches, 2}};
  return derive(model, parsed, *default_cut(model, 1), options);
}

// The small cluster with a measured sweep of the all-reduce among the four devices of a node.
Platform measured_cluster() {
  Platform platform = small_cluster();
  platform.tiers[1].collectives = {
      {CollectiveOperation::AllReduce,
       4,
       2,
       {{{Bytes(1e3), microseconds(20)}, {Bytes(1e9), milliseconds(70)}}, Evidence::Measured, "test"}}};
  return platform;
}

rc::Gen<SlabCollective> some_collective(const Platform& platform) {
  return rc::gen::exec([=] {
    const auto operation =
        *rc::gen::element(CollectiveOperation::AllReduce, CollectiveOperation::AllGather,
                          CollectiveOperation::ReduceScatter, CollectiveOperation::AllToAll);
    const auto size = *rc::gen::element(1u, 2u, 4u);
    const Bytes bytes(*rc::gen::inRange(1, 1'000'000) * 10.0);
    const auto times = *rc::gen::element(1.0, 2.0, 7.5);
    const DeviceGroup group{DeviceId(0), size};
    const Algorithm algorithm = collective_time(platform, operation, group)(bytes).algorithm;
    return SlabCollective{operation, algorithm, group, bytes, times, *rc::gen::arbitrary<bool>(),
                          4 / size,  size};
  });
}

struct SlabCase {
  std::string schedule;
  Seconds computing;
  std::vector<SlabCollective> inside;
};

// Cases are short, since the engine's clock runs on through all of them and into later tests.
rc::Gen<SlabCase> some_slab_case(const Platform& platform) {
  return rc::gen::exec([=] {
    return SlabCase{*rc::gen::element<std::string>("1f1b", "zb-h1"), microseconds(*rc::gen::inRange(0, 500)),
                    *rc::gen::container<std::vector<SlabCollective>>(3, some_collective(platform))};
  });
}

bool as_priced(const Platform& platform) {
  Replay replay(Fabric{{2, 3, 2}, kFilled.members, platform});
  return rc::check([&] {
    const SlabCase some = *some_slab_case(platform);
    const Derived derived = two_ranks(some.schedule, 2);
    const FakeCosts costs(platform, kFilled, some.computing, some.inside);
    const Prices prices = price(derived, costs);
    const double whole = replay.run(derived, prices).makespan().value();
    const double flows = replay.run(derived, prices, costs).makespan().value();
    RC_ASSERT(std::abs(flows - whole) <= 1e-9 * whole);
  });
}

TEST(SlabCollectives, TakeWhatTheyArePricedAtOnAnIdleFabric) {
  Platform hccl = small_cluster();
  hccl.library = CollectiveLibrary::Hccl;
  hccl.tiers[1].step_latency = alpha(0.25);
  EXPECT_TRUE(as_priced(measured_cluster()));
  EXPECT_TRUE(as_priced(hccl));
}

SlabCollective message(double bytes, double times, bool hidden) {
  return {CollectiveOperation::SendRecv, Algorithm::Pairwise, {DeviceId(0), 2}, Bytes(bytes), times, hidden};
}

// An order of one computing event on each of two ranks. Both run at once, with the test's collectives inside.
class TwoAtOnce {
 public:
  // `inside` has one collective for each rank.
  explicit TwoAtOnce(std::vector<SlabCollective> inside) : costs_(std::move(inside)) {}

  // Returns the events' ends by rank, where each event is priced at `length`.
  std::vector<double> ends(Seconds length) const {
    OrderBuilder builder(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      Event event{};
      event.kind = EventKind::Forward;
      event.rank = RankId(rank);
      builder.add(event);
    }
    const Derived derived{Model({{"llm", Role::Backbone, 1, true}}),
                          {},
                          {},
                          {},
                          {2, 1, 1},
                          PointToPoint::Overlapped,
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          std::get<Order>(std::move(builder).build())};
    Prices prices{Durations(2, 1), PerEvent<Bytes>(2, 1)};
    for (std::uint32_t i = 0; i < 2; ++i) prices.durations.fill(EventId(i), length);
    Replay replay(Fabric{{2, 1, 1}, 8, small_cluster()});
    const Timeline timeline = replay.run(derived, prices, costs_);
    return {timeline.end.at(EventId(0), 0).value(), timeline.end.at(EventId(1), 0).value()};
  }

 private:
  class OfRanks final : public Breakdown {
   public:
    explicit OfRanks(std::vector<SlabCollective> inside) : inside_(std::move(inside)) {}
    std::vector<SlabCollective> collectives(const Event& event, ReplicaId) const override {
      return {inside_[event.rank.index()]};
    }

   private:
    std::vector<SlabCollective> inside_;
  };

  OfRanks costs_;
};

// 2 GB from die to die take 10 ms at 200 GB/s; two such messages at once share a port of 300 GB/s.
constexpr double kAlone = 0.5e-6 + 2e9 / 200e9;
constexpr double kShared = 0.5e-6 + 2e9 / 150e9;

TEST(SlabCollectives, ShareAPort) {
  const TwoAtOnce apart(
      {message(2e9, 1, false),
       {CollectiveOperation::SendRecv, Algorithm::Pairwise, {DeviceId(2), 2}, Bytes(2e9), 1, false}});
  for (const double end : apart.ends(Seconds(1))) EXPECT_NEAR(end, 1, 1e-9);
  const TwoAtOnce together({message(2e9, 1, false), message(2e9, 1, false)});
  for (const double end : together.ends(Seconds(1))) EXPECT_NEAR(end, 1 - kAlone + kShared, 1e-9);
}

TEST(SlabCollectives, RepetitionsCarryLatencyAndBytesOfAll) {
  const TwoAtOnce together({message(2e9, 3, false), message(2e9, 3, false)});
  for (const double end : together.ends(Seconds(1))) EXPECT_NEAR(end, 1 - 3 * kAlone + 3 * kShared, 1e-9);
}

TEST(SlabCollectives, HiddenOnesRunBesideTheComputing) {
  const TwoAtOnce covered({message(2e9, 1, true), message(2e9, 1, true)});
  for (const double end : covered.ends(milliseconds(20))) EXPECT_NEAR(end, 20e-3, 1e-12);
  for (const double end : covered.ends(milliseconds(11))) EXPECT_NEAR(end, kShared, 1e-12);
}

// Three all-gathers have three steps each. Each is launched once, which takes 0.75 us of a message's 1 us.
TEST(SlabSteps, TheFirstTakesWhatACollectiveTakesOnce) {
  Platform platform = small_cluster();
  for (std::size_t tier : {0u, 1u}) platform.tiers[tier].step_latency = alpha(0.25);
  const Derived derived = two_ranks("1f1b", 1);
  const SlabCollective gather{
      CollectiveOperation::AllGather, Algorithm::Ring, {DeviceId(0), 4}, Bytes(4e6), 3, false};
  const FakeCosts costs(platform, kFilled, Seconds(1), {gather});
  const SlabSteps steps = slab_steps(platform, costs, derived.order.event(EventId(0)), 0);
  ASSERT_EQ(steps.exposed.size(), 3u);
  EXPECT_NEAR(steps.exposed[0].latency.value(), 3 * 1e-6, 1e-15);
  EXPECT_NEAR(steps.exposed[1].latency.value(), 3 * 0.25e-6, 1e-15);
  EXPECT_NEAR(steps.exposed[2].latency.value(), 3 * 0.25e-6, 1e-15);
}

// Groups that share ports take longer together than the price of one, so one factor shortens all their steps.
// For each repetition the ratio of the latency taken once to a step's latency stays the same.
TEST(SlabSteps, ShortenedStepsKeepWhatIsTakenOnceOfEveryRepetition) {
  Platform platform = small_cluster();
  for (std::size_t tier : {0u, 1u}) platform.tiers[tier].step_latency = alpha(0.25);
  const Derived derived = two_ranks("1f1b", 1);
  for (const double times : {1.0, 2.0, 5.0}) {
    SlabCollective gather{
        CollectiveOperation::AllGather, Algorithm::Ring, {DeviceId(4), 3}, Bytes(4e8), times, false};
    gather.groups = 2;
    gather.group_stride = 1;
    const FakeCosts costs(platform, kFilled, Seconds(1), {gather});
    const SlabSteps steps = slab_steps(platform, costs, derived.order.event(EventId(0)), 0);
    ASSERT_EQ(steps.exposed.size(), 2u);
    const double first = steps.exposed[0].latency.value(), next = steps.exposed[1].latency.value();
    ASSERT_LT(next, 0.25e-6 * times);  // shortened
    EXPECT_NEAR(first / next, (0.25 + 0.75) / 0.25, 1e-9);
  }
}

// The bytes that a step puts on links depend on the collective, measured or not, and not on the links' speed.
TEST(SlabSteps, CarryTheSameAtEverySpeed) {
  const Derived derived = two_ranks("1f1b", 1);
  for (const auto operation : {CollectiveOperation::AllReduce, CollectiveOperation::AllGather}) {
    const auto carried = [&](const Platform& platform) {
      const DeviceGroup group{DeviceId(0), 4};
      const Algorithm algorithm = collective_time(platform, operation, group)(Bytes(4e8)).algorithm;
      const FakeCosts costs(platform, kFilled, Seconds(1),
                            {{operation, algorithm, group, Bytes(4e8), 3, false}});
      Bytes sum;
      for (const SlabStep& step : slab_steps(platform, costs, derived.order.event(EventId(0)), 0).exposed)
        for (const StepFlow& flow : step.flows) sum += flow.bytes;
      return sum.value();
    };
    Platform slower = measured_cluster();
    for (Tier& tier : slower.tiers) tier.bandwidth.value = tier.bandwidth.value / 3;
    const double whole = carried(measured_cluster());
    EXPECT_NEAR(carried(slower), whole, 1e-9 * whole);
  }
}

// Two joined replicas run a ring each at the same time. A group that they share is listed by both but counted
// once.
TEST(SlabSteps, JoinedReplicas) {
  const Derived derived = two_ranks("1f1b", 1);
  Event joined = derived.order.event(EventId(0));
  ASSERT_TRUE(joined.computes());
  joined.joined_replicas = 2;
  const auto flows = [&](std::uint32_t size) {
    const SlabCollective gather{
        CollectiveOperation::AllGather, Algorithm::Ring, {DeviceId(0), size}, Bytes(4e6), 1, false};
    const FakeCosts costs(small_cluster(), kFilled, Seconds(1), {gather});
    const SlabSteps steps = slab_steps(small_cluster(), costs, joined, 0);
    return steps.exposed.front().flows.size();
  };
  const auto of_one_ring = [](std::uint32_t size) {
    return collective_steps(small_cluster(), CollectiveOperation::AllGather, Algorithm::Ring,
                            {DeviceId(0), size}, Bytes(4e6))
        .front()
        .flows.size();
  };
  EXPECT_EQ(flows(4), 2 * of_one_ring(4));
  EXPECT_EQ(flows(8), of_one_ring(8));
}

}  // namespace
}  // namespace spillway::testing
