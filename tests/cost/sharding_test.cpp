// States that devices share out, as a framework runs them (PyTorch's FSDP2), against closed forms.
#include <gtest/gtest.h>

#include "cost/layers/vision.h"
#include "cost/slabs/pass_time.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "small_job.h"
#include "small_slab.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

template <class Value>
Sourced<Value> its_code(Value value) {
  return {value, Evidence::Derived, "its code"};
}

Parallelism sharded(std::uint32_t degree = 0, std::uint32_t tensor = 1) {
  Parallelism parallelism;
  parallelism.data = DataParallel::Zero3;
  parallelism.shard_degree = degree;
  parallelism.tensor = tensor;
  return parallelism;
}

ModelState of_parameters(std::uint64_t trained, std::uint64_t frozen, const Parallelism& parallelism,
                         const ShardForms& forms) {
  LayerCost cost;
  cost.dense_parameters = trained + frozen;
  cost.frozen_dense = frozen;
  return model_state(cost, LoadUnit::Token, true, parallelism, 8, Bytes(4), forms);
}

// Eight copies share out 800 trained parameters and 80 frozen ones.
TEST(Sharding, MainWeightsLieNowhereElse) {
  const ShardForms main{.main_weights = true};
  EXPECT_EQ(of_parameters(800, 80, sharded(), {}), (ModelState{Bytes(220), Bytes(400), Bytes(1200)}));
  EXPECT_EQ(of_parameters(800, 80, sharded(), main), (ModelState{Bytes(20), Bytes(400), Bytes(1200)}));
  Parallelism whole;
  whole.data = DataParallel::Zero2;
  EXPECT_EQ(of_parameters(800, 0, whole, main).parameters, Bytes(1600));
}

TEST(Sharding, KeepsWhatIsNotShardedAgain) {
  Parallelism kept = sharded();
  kept.reshard_after_forward = false;
  EXPECT_EQ(of_parameters(800, 80, kept, {}).parameters, Bytes(220 + 1760));
  EXPECT_EQ(of_parameters(800, 80, sharded(), {.reduces_once = true}).gradients, Bytes(3200));
  const std::vector<Layer> layers(3, vision_layer(64, 4, 256));
  const auto held = [&](const Parallelism& parallelism, bool keeps_gradients) {
    const SlabUse use{LoadUnit::Token, 64, kBothGradients, {}, Bytes(4), {}, keeps_gradients};
    return SlabMemory(layers, use, parallelism)({1, 1});
  };
  const Bytes weights(2.0 * static_cast<double>(cost_of(layers[0]).parameters()));
  const Held both = held(sharded(), false), none = held(kept, true);
  EXPECT_EQ(both.forward_workspace - none.forward_workspace, 2 * weights);
  EXPECT_EQ(both.backward_workspace - none.backward_workspace, 2 * weights + 2 * weights);
}

// Two groups of four share out everything.
TEST(Sharding, OfAGroupIsAmongItsDevices) {
  EXPECT_EQ(of_parameters(800, 0, sharded(4), {}), (ModelState{Bytes(400), Bytes(800), Bytes(2400)}));
}

std::vector<SlabCollectiveUse> sharded_uses(const Parallelism& parallelism, const Sharding& sharding,
                                            const Recomputation& recompute = {}) {
  static const Platform platform = small_platform();
  Framework framework;
  framework.sharding = sharding;
  const DeviceGrid grid{2, 8, parallelism.members()};
  const std::vector<Layer> layers(2, linear("product", 16, 16, Share::Columns));
  std::vector<SlabCollectiveUse> data;
  for (SlabCollectiveUse& use : slab_collectives(
           layers, 16, kBothGradients, {&platform, &framework, grid, RankId(0), parallelism}, recompute))
    if (use.among == Among::Data) data.push_back(std::move(use));
  return data;
}

TEST(Sharding, GathersOnceWhereNothingIsShardedAgain) {
  Parallelism parallelism = sharded();
  EXPECT_EQ(sharded_uses(parallelism, {}).size(), 3u);
  parallelism.reshard_after_forward = false;
  const auto uses = sharded_uses(parallelism, {});
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].pass, Pass::Forward);
  EXPECT_EQ(uses[1].operation, ReduceScatter);
  Sharding once;
  once.reduces = its_code(ShardReduces::Step);
  EXPECT_EQ(sharded_uses(parallelism, once).size(), 1u);
}

TEST(Sharding, SumsSharesOverTheGroups) {
  const auto uses = sharded_uses(sharded(4, 2), {});
  ASSERT_EQ(uses.size(), 4u);
  for (const SlabCollectiveUse& use : uses) {
    const DeviceGroup& group = use.groups.front();
    EXPECT_EQ(group.device_count(), use.operation == AllReduce ? 2u : 4u);
    EXPECT_EQ(group.stride, use.operation == AllReduce ? 8u : 2u);
  }
  EXPECT_EQ(uses[3].operation, AllReduce);
  EXPECT_EQ(uses[3].fixed, uses[2].fixed / 4);
}

// Where every layer waits for the device, a reduction ends before the next layer is computed again.
TEST(Sharding, ReducesAloneWhereRecomputedLayersWait) {
  Sharding waits;
  waits.waits = its_code(LayerWait::Device);
  const auto hidden = [&](const Recomputation& recompute, Hides gathers) {
    double share = 1;
    for (const SlabCollectiveUse& use : sharded_uses(sharded(), waits, recompute)) {
      if (use.pass == Pass::WeightGradient) share = use.hidden;
      if (use.pass == Pass::InputGradient) {
        EXPECT_EQ(use.under, gathers);
      }
      if (use.pass == Pass::Forward) {
        EXPECT_EQ(use.under, Hides::AfterIssue);
      }
    }
    return share;
  };
  EXPECT_EQ(hidden(Recompute::None, Hides::Pass), 1);
  EXPECT_EQ(hidden(Recompute::Full, Hides::AfterIssue), 0);
}

TEST(Sharding, GathersHideUnderWhatIsLeftOfALayer) {
  SlabTimes times;
  times.forward = times.input_gradient = Seconds(10);
  times.weight_after_input = Seconds(4);
  times.issued_forward = Seconds(7);
  times.issued_backward = Seconds(20);
  SlabCommunication sent;
  sent.forward.after_issue = sent.input_gradient.after_issue = Seconds(5);
  sent.weight_gradient.exposed = Seconds(1);
  const SlabPasses passes{times, sent, kBothGradients, Seconds()};
  EXPECT_EQ(passes.of(Pass::Forward).exposed, Seconds(2));
  EXPECT_EQ(passes.of(Pass::Forward).hidden, Seconds(3));
  EXPECT_EQ(passes.of(Pass::Backward).exposed, Seconds(5 + 1));
  EXPECT_EQ(passes.of(Pass::Backward).hidden, Seconds());
}

// Four layers of two products: the host issues a kernel in 3 s, and a product takes 2 s. Without waits the
// last kernel begins when it is issued.
TEST(Sharding, ALayerThatWaitsBeginsOnAnIdleDevice) {
  const std::vector<Layer> layers(4, linear("one", 16, 16, Share::Columns));
  const OperatorTimes times = small_times();
  const auto forward = [&](const HostIssue& host) {
    return slab_times(slab_operators(layers, Recompute::Full), Split::of({}), kSixtyFour, times,
                      kBothGradients, host);
  };
  const Seconds product = forward({}).forward / 4;
  HostIssue host{.launch = product / 2, .in_order = true};
  EXPECT_NEAR(forward(host).forward / product, 4.5, 1e-9);
  host.waits = LayerWait::Device;
  EXPECT_NEAR(forward(host).forward / product, 4 * 1.5, 1e-9);
  EXPECT_NEAR(forward(host).issued_forward / product, 4 * 0.5, 1e-9);
  host.layer = product;
  EXPECT_NEAR(forward(host).issued_forward / product, 4 * 1.5, 1e-9);
  EXPECT_GE(forward(host).issued_backward, 4 * (host.layer + 3 * host.launch) - Seconds(1e-12));
}

// Gradients that no pass has scattered are scattered as those of ZeRO-1.
TEST(Sharding, ReducesOnceAsZero1Does) {
  SmallJob job;
  job.pipeline.replicas = 2;
  const Event reduce{.kind = EventKind::DpReduce, .stage = StageId(1)};
  const auto reduced = [&](DataParallel data, bool once) {
    job.costs.parallelism.data = data;
    job.costs.framework.hidden_data = its_code(0.0);
    job.costs.framework.sharding.reduces = its_code(once ? ShardReduces::Step : ShardReduces::Microbatch);
    return job.priced(job.derive_as("1f1b", {})).transfer(reduce, ReplicaId(0));
  };
  const Transfer first = reduced(DataParallel::Zero1, false), second = reduced(DataParallel::Zero2, true);
  EXPECT_NEAR(second.payload / first.payload, 1, 1e-12);
  EXPECT_GT(reduced(DataParallel::Zero3, true).payload, Bytes());
  EXPECT_LT(reduced(DataParallel::Zero2, false).payload, second.payload);
}

TEST(Sharding, IsOfZero3AndOfWholeGroups) {
  const auto complaint = [](const Parallelism& parallelism, std::uint32_t replicas) {
    const std::vector<Violation> found = check_parallelism(parallelism, replicas);
    return found.empty() ? std::string() : found.front().pointer + ": " + found.front().expected;
  };
  EXPECT_EQ(complaint(sharded(4), 8), "");
  EXPECT_EQ(complaint(sharded(3), 8),
            "/parallel/data_parallel_shard_degree: a divisor of the 8 copies, replicas times context");
  Parallelism experts = sharded(2);
  experts.expert = 4;
  EXPECT_EQ(complaint(experts, 8),
            "/parallel/data_parallel_shard_degree: with tensor, a multiple of the 4 devices of an "
            "expert-parallel group");
  Parallelism plain = sharded(4);
  plain.data = DataParallel::Zero2;
  EXPECT_EQ(complaint(plain, 8), "/parallel/data_parallel_shard_degree: no such key without data zero3");
  plain.shard_degree = 0;
  plain.reshard_after_forward = false;
  EXPECT_EQ(complaint(plain, 8), "/parallel/reshard_after_forward: true without data zero3");
}

}  // namespace
}  // namespace spillway
