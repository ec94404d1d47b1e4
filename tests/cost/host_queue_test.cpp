// The host and device clocks against a kernel-by-kernel simulation, and pass times computed from them.
#include "cost/slabs/host_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cost/layers/vision.h"
#include "cost/slabs/slab_time.h"
#include "small_slab.h"
#include "support/property.h"

namespace spillway {
namespace {

// The slow, obvious simulation.
struct Simulated {
  double launch;
  double host = 0;
  double device = 0;

  void kernel(double length) {
    host += launch;
    device = std::max(device, host) + length;
  }
  void wait() { host = device = std::max(host, device); }
};

struct Work {
  int kernels;  // 0: a wait
  double each;
};

HostQueue queue_of(const std::vector<Work>& work, double launch) {
  HostQueue queue;
  for (const auto& [kernels, each] : work)
    queue =
        queue.then(kernels == 0 ? HostQueue::of_wait()
                                : HostQueue::of_kernels(kernels, Seconds(kernels * each), Seconds(launch)));
  return queue;
}

Simulated simulated(const std::vector<Work>& work, double launch, Simulated from) {
  from.launch = launch;
  for (const auto& [kernels, each] : work) {
    if (kernels == 0) from.wait();
    for (int i = 0; i < kernels; ++i) from.kernel(each);
  }
  return from;
}

std::vector<Work> any_work() {
  std::vector<Work> work(*rc::gen::inRange<std::size_t>(0, 12));
  for (Work& one : work) one = {*rc::gen::inRange(0, 6), *rc::gen::inRange(0, 40) * 0.25};
  return work;
}

RC_GTEST_PROP(HostQueue, IsKernelAfterKernel, ()) {
  const std::vector<Work> work = any_work();
  const double launch = *rc::gen::inRange(0, 20) * 0.25;
  RC_ASSERT(queue_of(work, launch).span() == Seconds(simulated(work, launch, {}).device));
}

RC_GTEST_PROP(HostQueue, RepeatsAsOften, ()) {
  const std::vector<Work> work = any_work();
  const double launch = *rc::gen::inRange(0, 20) * 0.25;
  const auto times = *rc::gen::inRange<std::uint64_t>(0, 40);
  Simulated by_kernel;
  for (std::uint64_t i = 0; i < times; ++i) by_kernel = simulated(work, launch, by_kernel);
  RC_ASSERT(queue_of(work, launch).repeated(times).span() == Seconds(by_kernel.device));
}

// Passes priced separately start with both clocks equal. A host that ran ahead into the next pass would be as
// fast or faster, but never faster than its launches or its device.
RC_GTEST_PROP(HostQueue, PassesApartTakeNoLessThanOneAfterTheOther, ()) {
  const double launch = *rc::gen::inRange(1, 20) * 0.25;
  double apart = 0, device = 0, launches = 0;
  Simulated together;
  for (int pass = *rc::gen::inRange(1, 6); pass > 0; --pass) {
    const std::vector<Work> work = any_work();
    apart += queue_of(work, launch).span().value();
    together = simulated(work, launch, together);
    for (const auto& [kernels, each] : work) {
      device += kernels * each;
      launches += kernels * launch;
    }
  }
  RC_ASSERT(apart >= together.device);
  RC_ASSERT(together.device >= device);
  RC_ASSERT(together.device >= (launches > 0 ? launches : 0));
}

// 3 kernels of 1 s, one of 10 s, then 5 of none: the long kernel hides the launches after it.
TEST(HostQueue, HidesLaunchesUnderLongKernels) {
  EXPECT_EQ(queue_of({{3, 1}, {1, 10}, {5, 0}}, 2).span(), Seconds(2 * 4 + 10));
  EXPECT_EQ(queue_of({{3, 1}, {1, 10}, {0, 0}, {5, 0}}, 2).span(), Seconds(2 * 4 + 10 + 2 * 5));
}

SlabTimes queued_slab(std::span<const Layer> layers, const HostIssue& host,
                      Gradients gradients = kBothGradients, Recompute recompute = Recompute::None) {
  return slab_times(slab_operators(layers, recompute), Split(), kSixtyFour, small_times(), gradients, host);
}

std::vector<Layer> three() {
  std::vector<Layer> layers(3, vision_layer(64, 4, 256));
  layers.back() += linear("logits", 64, 1000, Share::Columns);
  return layers;
}

// The time is at least the longer of the two and at most their sum.
RC_GTEST_PROP(SlabQueue, LiesBetweenTheLongerAndTheSum, ()) {
  const Seconds launch = microseconds(*rc::gen::inRange(1, 300) * 0.1);
  const Recompute recompute = *rc::gen::element(Recompute::None, Recompute::Selective, Recompute::Full);
  const std::vector<Layer> layers = three();
  const SlabTimes queue = queued_slab(layers, {launch, true}, kBothGradients, recompute),
                  longer = queued_slab(layers, {launch}, kBothGradients, recompute),
                  device = queued_slab(layers, {}, kBothGradients, recompute),
                  host = queued_slab(layers, {Seconds(1)}, kBothGradients, recompute);
  const auto between = [&](Seconds SlabTimes::*pass) {
    const Seconds sum = device.*pass + launch * (host.*pass).value();
    return queue.*pass >= longer.*pass * (1 - 1e-12) && queue.*pass <= sum * (1 + 1e-12);
  };
  RC_ASSERT(between(&SlabTimes::forward));
  RC_ASSERT(between(&SlabTimes::input_gradient));
  RC_ASSERT(between(&SlabTimes::weight_gradient));
  RC_ASSERT(queue.backward() <= queue.input_gradient + queue.weight_gradient * (1 + 1e-12));
}

TEST(SlabQueue, IsTheDevicesWhereLaunchesTakeNothing) {
  const SlabTimes device = queued_slab(three(), {}), queue = queued_slab(three(), {Seconds(), true});
  EXPECT_NEAR(queue.forward.value(), device.forward.value(), 1e-15);
  EXPECT_NEAR(queue.backward().value(), device.backward().value(), 1e-15);
  EXPECT_EQ(queue.recomputed, Seconds());
}

// Attention that waits cuts the queue: launches before it and kernels after it no longer overlap.
TEST(SlabQueue, WaitsWhereAnOperatorDoes) {
  std::vector<Layer> layers = three();
  const HostIssue host{microseconds(1), true};
  const SlabTimes before = queued_slab(layers, host);
  const SlabTimes again = queued_slab(layers, host, kBothGradients, Recompute::Full);
  for (Layer& layer : layers)
    for (Operator& op : layer.operators)
      if (op.kind == OperatorKind::Attention) op.kernels.waits = 1;
  const SlabTimes after = queued_slab(layers, host);
  EXPECT_GT(after.forward, before.forward);
  EXPECT_EQ(after.backward(), before.backward());
  EXPECT_GT(queued_slab(layers, host, kBothGradients, Recompute::Full).backward(), again.backward());
}

// In a combined pass, a last layer that computes for long hides the launches of its weight gradients.
TEST(SlabQueue, GradientsInOnePassShareTheClocks) {
  const SlabTimes queue = queued_slab(three(), {microseconds(5), true});
  EXPECT_LT(queue.weight_after_input, queue.weight_gradient);
  EXPECT_GT(queue.weight_after_input, Seconds());
}

TEST(SlabOperators, KeepTheOrderOfLayers) {
  const SlabOperators slab = slab_operators(three());
  ASSERT_EQ(slab.runs.size(), 2U);
  EXPECT_EQ(slab.runs[0].layers, 2U);
  EXPECT_EQ(slab.runs[1].layers, 1U);
  EXPECT_EQ(slab.runs[1].operators.size(), slab.runs[0].operators.size() + 1);
}

}  // namespace
}  // namespace spillway
