// The analytic cost model's collectives, replayed as flows, take their price on an idle fabric and longer
// where they share ports.
#include <gtest/gtest.h>

#include "sim/replay.h"
#include "sim/slab_steps.h"
#include "small_job.h"
#include "support/property.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kMembers = 4;

// Gives each replica two microbatches, of `tokens` in sequences of 10 and of 2 * `tokens` in sequences of 20.
void draw_tokens(SmallJob& job, std::uint32_t tokens) {
  job.draw.assign(
      4, {{{4, 16}, 1, 5, tokens - 5, tokens, tokens / 10}, {{}, 1, 0, 2 * tokens, 2 * tokens, tokens / 10}});
}

struct Makespans {
  double flows;
  double priced;
};

Makespans makespans(Replay& replay, const SmallJob& job, const char* schedule) {
  const Derived derived = job.derive_as(schedule, {});
  const AnalyticCostModel model = job.priced(derived);
  const Prices prices = price(derived, model);
  return {replay.run(derived, prices, model).makespan().value(),
          LongestPath(derived.order).timeline(prices.durations).makespan().value()};
}

// Computing takes from much longer to much less than communication, which is bound by latency or bandwidth.
rc::Gen<SmallJob> some_small_job() {
  return rc::gen::exec([] {
    SmallJob job;
    Parallelism& parallelism = job.costs.parallelism;
    parallelism.tensor = *rc::gen::element(1u, 2u, 4u);
    parallelism.context = kMembers / parallelism.tensor;
    parallelism.expert = *rc::gen::element(1u, 2u, 4u, 8u);
    parallelism.dispatch =
        *rc::gen::element(ExpertDispatch::PerExpert, ExpertDispatch::AllGather, ExpertDispatch::PerNode);
    if (parallelism.expert < 4 && parallelism.dispatch != ExpertDispatch::PerNode)
      parallelism.expert_tensor = *rc::gen::element(1u, 2u);
    parallelism.context_by = *rc::gen::element(ContextBy::Ring, ContextBy::Ulysses);
    parallelism.sequence_parallel = *rc::gen::arbitrary<bool>();
    parallelism.tensor_overlap =
        *rc::gen::element(TensorOverlap::None, TensorOverlap::Backward, TensorOverlap::All);
    parallelism.data = *rc::gen::element(DataParallel::Plain, DataParallel::Zero1, DataParallel::Zero3);
    job.pipeline = {1, 2, *rc::gen::element(2u, 4u)};
    job.costs.blocks[1].recompute = *rc::gen::element(Recompute::None, Recompute::Full);
    job.costs.platform.accelerator.peak = chosen(FlopsPerSecond(*rc::gen::element(1e8, 1e10, 1e12)));
    job.costs.platform.accelerator.slowdown_under_communication = chosen(*rc::gen::element(0.0, 0.25));
    draw_tokens(job, *rc::gen::element(10u, 10'000u, 1'000'000u));
    for (Sourced<double>* share : {&job.costs.framework.hidden_tensor, &job.costs.framework.hidden_fused})
      share->value = *rc::gen::element(0.0, 0.5, 1.0);
    job.costs.framework.hidden_chunks =
        *rc::gen::element<std::optional<Sourced<double>>>(std::nullopt, chosen(0.25));
    for (Tier& tier : job.costs.platform.tiers) tier.sustained = chosen(*rc::gen::element(0.5, 1.0));
    return job;
  });
}

// With one rank every group has its ports to itself.
TEST(AnalyticFlows, TakeThePriceOnAnIdleFabric) {
  Replay replay(Fabric{{1, 2, 4}, kMembers, small_platform()});
  EXPECT_TRUE(rc::check([&] {
    const auto [flows, priced] = makespans(replay, *some_small_job(), *rc::gen::element("1f1b", "zb-h1"));
    RC_ASSERT(std::abs(flows - priced) <= 1e-9 * priced);
  }));
}

// A price by protocols has no steps: the bytes go through the ports, and the rest of the price is a delay.
TEST(AnalyticFlows, OfProtocolsTakeThePriceOnAnIdleFabric) {
  Platform platform = small_platform();
  platform.tiers.erase(platform.tiers.begin());
  const auto share = chosen(0.4);
  platform.tiers[0].protocols = Protocols{share,
                                          share,
                                          chosen(microseconds(6)),
                                          chosen(microseconds(5)),
                                          share,
                                          chosen(microseconds(30)),
                                          InSwitch{chosen(microseconds(30)), share}};
  Replay replay(Fabric{{1, 2, 4}, kMembers, platform});
  EXPECT_TRUE(rc::check([&] {
    SmallJob job = *some_small_job();
    const Accelerator accelerator = job.costs.platform.accelerator;
    job.costs.platform = platform;
    job.costs.platform.accelerator = accelerator;
    const auto [flows, priced] = makespans(replay, job, "1f1b");
    RC_ASSERT(std::abs(flows - priced) <= 1e-9 * priced);
  }));
}

// DualPipeV also runs forwards beside backwards. The rank has two stages, and one would reduce while the
// other computes, so the job has one replica.
TEST(AnalyticFlows, OfPassesTogetherTakeThePriceOnAnIdleFabric) {
  Replay replay(Fabric{{1, 2, 1}, kMembers, small_platform()});
  EXPECT_TRUE(rc::check([&] {
    SmallJob job = *some_small_job();
    job.pipeline.replicas = 1;
    job.costs.parallelism.expert = std::min(job.costs.parallelism.expert, kMembers);
    const auto [flows, priced] = makespans(replay, job, "dualpipev");
    RC_ASSERT(std::abs(flows - priced) <= 1e-9 * priced);
  }));
}

// An event takes at least as long as the collectives that it exposes.
RC_GTEST_PROP(AnalyticFlows, ExposeNoMoreThanThePassTakes, ()) {
  const SmallJob job = *some_small_job();
  const Derived derived = job.derive_as(*rc::gen::element("1f1b", "dualpipev"), {});
  const AnalyticCostModel model = job.priced(derived);
  const Prices prices = price(derived, model);
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (!event.computes()) continue;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; lane += event.joined_replicas) {
      const SlabSteps steps = slab_steps(job.costs.platform, model, event, lane);
      RC_ASSERT(steps.exposed_time <= prices.durations.at(EventId(index), lane) * (1 + 1e-12));
    }
  }
}

// Two ranks of two devices each gather over the bridge and send over the network. Ranks of four devices do
// both over the network.
TEST(AnalyticFlows, AreLaterWhereTransfersShareTheirPorts) {
  SmallJob job;
  draw_tokens(job, 1'000'000);
  job.costs.platform.accelerator.peak = chosen(FlopsPerSecond(1e13));
  const auto of_members = [&](std::uint32_t members) {
    job.costs.parallelism.tensor = members;
    Replay replay(Fabric{job.pipeline, members, job.costs.platform});
    return makespans(replay, job, "1f1b");
  };
  const Makespans apart = of_members(2);
  EXPECT_NEAR(apart.flows, apart.priced, 1e-9 * apart.priced);
  const Makespans together = of_members(4);
  EXPECT_GT(together.flows, together.priced * 1.001);
}

}  // namespace
}  // namespace spillway::testing
