// Terms of a step's price that small figures hide, by hand: memory traffic of the optimizer, slow-down of
// computing beside communication, effects of tensor parallelism on transfers and reductions, and fused
// passes.
#include <gtest/gtest.h>

#include "small_job.h"

namespace spillway {
namespace {

constexpr double kSlowdown = 0.25;

// One rank holds the whole model; the encoder is frozen.
SmallJob one_rank() {
  SmallJob job;
  job.pipeline = {1, 2, 1};
  job.encoder_trainable = false;
  return job;
}

Transfer reduction_of(const SmallJob& job) {
  const Derived derived = job.derive_as("1f1b", {});
  for (const Event& event : derived.order.events())
    if (event.kind == EventKind::DpReduce) return job.priced(derived).transfer(event, ReplicaId(0));
  ADD_FAILURE() << "no reduction";
  return {};
}

LayerCost backbone() {
  return cost_of(layer_stack(small_deepseek()).layers);
}

// At 1 MB/s: a gradient of 4 bytes is written to zero it, read and written to average it, and read for its
// norm and for the update. Master copy and moments, 12 bytes, are read and written. The parameter, 2 bytes,
// is written.
TEST(Optimizer, MovesItsStatesThroughMemory) {
  SmallJob job = one_rank();
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e6));
  const double parameters = static_cast<double>(backbone().parameters());
  EXPECT_NEAR(reduction_of(job).alone.value(), (3 * 4 + 2 * 4 + 2 * 12 + 2) * parameters / 1e6, 1e-9);
}

// Under ZeRO-1 each of two replicas updates half. The memory time is the difference to unlimited bandwidth.
TEST(Optimizer, UpdatesItsShare) {
  SmallJob job = one_rank();
  job.pipeline.replicas = 2;
  job.costs.parallelism.data = DataParallel::Zero1;
  const Seconds network = reduction_of(job).alone;
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e6));
  const double parameters = static_cast<double>(backbone().parameters());
  EXPECT_NEAR((reduction_of(job).alone - network).value(), (12 + 34 / 2.0) * parameters / 1e6, 1e-9);
}

// With tensor parallelism of 2 a device reduces half of the split parameters and all unsplit ones: norms (2 x
// 16 a layer, 16 at the head), the latent projections down (16 x 8 and 16 x 12) and their norms (8 and 8),
// and in three layers the router (16 x 8) and its bias (8).
TEST(GradientReduction, HasWhatIsNotSplitOnEveryMember) {
  SmallJob job = one_rank();
  job.pipeline.replicas = 2;
  job.costs.parallelism.tensor = 2;
  const double unsplit = 4 * (2 * 16 + 16 * 8 + 16 * 12 + 8 + 8) + 16 + 3 * (16 * 8 + 8);
  const double dense = static_cast<double>(backbone().dense_parameters);
  const double experts = static_cast<double>(backbone().expert_parameters);
  // Tensor-parallel copies are devices 0 and 2. Experts lie whole on all four, two of each pair behind two
  // ports.
  const double bytes = 4 * ((dense - unsplit) / 2 + unsplit) + 0.5 * 4 * experts;
  EXPECT_NEAR(reduction_of(job).payload.value(), bytes, 1e-6);
}

// The same holds for an encoder split by tensor parallelism: each member reduces its own copy of unsplit
// parameters.
TEST(GradientReduction, OfASplitEncoderHasWhatIsNotSplitOnEveryMember) {
  const LayerCost encoder = cost_of(layer_stack(small_vit()).layers);
  const double dense = static_cast<double>(encoder.dense_parameters),
               unsplit = static_cast<double>(encoder.unsplit_parameters);
  ASSERT_GT(unsplit, 0);
  for (const std::uint32_t tensor : {1u, 2u}) {
    SmallJob job;
    job.pipeline = {1, 2, 2};
    job.backbone_trainable = false;
    job.costs.parallelism.tensor = tensor;
    job.costs.parallelism.images = EncoderImages::Split;
    // Two replicas on neighbouring devices: each sends once the gradients that a device holds, 4 bytes each.
    EXPECT_NEAR(reduction_of(job).payload.value(), 4 * ((dense - unsplit) / tensor + unsplit), 1e-6);
  }
}

double sent(Parallelism parallelism) {
  SmallJob job;
  job.costs.parallelism = parallelism;
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  for (const Event& event : derived.order.events())
    if (event.transfers() && event.microbatch == MicrobatchId(0))
      return job.priced(derived).transfer(event, ReplicaId(0)).payload.value();
  ADD_FAILURE() << "no transfer";
  return 0;
}

// The boundary has 10 tokens x 16 x 2 bytes. Without sequence parallelism every tensor-parallel member sends
// its context rank's whole part; with it, a share.
TEST(Transfer, IsWholeOnEveryMemberWithoutSequenceParallelism) {
  EXPECT_DOUBLE_EQ(sent({.tensor = 2, .sequence_parallel = false}), 320);
  EXPECT_DOUBLE_EQ(sent({.tensor = 2, .context = 2, .sequence_parallel = false}), 160);
  EXPECT_DOUBLE_EQ(sent({.tensor = 2, .context = 2}), 80);
}

// A forward and a backward of microbatch 0 on one rank with two tensor-parallel members; figures as in
// slab_test.cpp. The forward has 18 gathers and scatters of 320 bytes. The backward has 9 gathers of output
// gradients, 9 of kept inputs and 9 scatters.
constexpr double kGatherSeconds = 1e-6 + 160 / 100e9;
constexpr double kImages = 0.062464, kTokenSeconds = 0.234240, kScores = 0.019200;
constexpr double kForward = kImages + kTokenSeconds / 2;
constexpr double kBackward = (2 * kTokenSeconds + kScores / 2) / 2;  // the encoder is frozen

struct Passes {
  double forward;
  double backward;
  double together;
};

Passes passes(SmallJob job) {
  job.costs.platform.accelerator.slowdown_under_communication = chosen(kSlowdown);
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  Event event{.kind = EventKind::ForwardBackward};
  return {forward_of(model, 0), backward_of(model, 0), model.overlapped(event, ReplicaId(0)).value()};
}

SmallJob two_members(TensorOverlap overlap) {
  SmallJob job = one_rank();
  job.costs.parallelism.tensor = 2;
  job.costs.parallelism.tensor_overlap = overlap;
  return job;
}

void expect_passes(const Passes& found, const Passes& expected) {
  EXPECT_NEAR(found.forward, expected.forward, 1e-12);
  EXPECT_NEAR(found.backward, expected.backward, 1e-12);
  EXPECT_NEAR(found.together, expected.together, 1e-12);
}

// Hidden communication slows computing by a quarter of its time, in a single pass and in fused passes.
// Collectives that tensor_overlap exposes are exposed in both.
TEST(PassesTogether, ObeyTensorOverlap) {
  expect_passes(passes(two_members(TensorOverlap::None)),
                {kForward + 18 * kGatherSeconds, kBackward + 27 * kGatherSeconds,
                 kForward + kBackward + 45 * kGatherSeconds});
  expect_passes(
      passes(two_members(TensorOverlap::Backward)),
      {kForward + 18 * kGatherSeconds, kBackward + 9 * kGatherSeconds + kSlowdown * 18 * kGatherSeconds,
       kForward + kBackward + 27 * kGatherSeconds + kSlowdown * 18 * kGatherSeconds});
  expect_passes(passes(two_members(TensorOverlap::All)),
                {kForward + kSlowdown * 18 * kGatherSeconds, kBackward + kSlowdown * 27 * kGatherSeconds,
                 kForward + kBackward + kSlowdown * 45 * kGatherSeconds});
}

// The backward repeats the layers' 16 of the forward's 18 collectives, exposed. It does not recompute the
// head, 2 x 1024 for each of 10 tokens on two members.
TEST(PassesTogether, ExposeWhatIsRecomputedToo) {
  SmallJob job = two_members(TensorOverlap::None);
  job.costs.blocks[1].recompute = Recompute::Full;
  const double layers = (kTokenSeconds - 0.020480) / 2;
  expect_passes(passes(job), {kForward + 18 * kGatherSeconds, kBackward + layers + 43 * kGatherSeconds,
                              kForward + kBackward + layers + 61 * kGatherSeconds});
}

// 6 exchanges of experts forward and 6 back, over 4 devices of a node, are exposed in a single pass and hide
// in fused passes.
TEST(PassesTogether, HideExchangesOfExperts) {
  SmallJob job = two_members(TensorOverlap::None);
  job.pipeline.replicas = 2;
  job.costs.parallelism.expert = 4;
  const double exchanges = 6 * (2e-6 + 2 * 80 / 50e9);
  expect_passes(passes(job),
                {kForward + 18 * kGatherSeconds + exchanges, kBackward + 27 * kGatherSeconds + exchanges,
                 kForward + kBackward + 45 * kGatherSeconds + kSlowdown * 2 * exchanges});
}

// The framework hides three quarters of the exchanges; the exposed quarter slows nothing down.
TEST(PassesTogether, HideWhatTheFrameworkHides) {
  SmallJob job = two_members(TensorOverlap::None);
  job.pipeline.replicas = 2;
  job.costs.parallelism.expert = 4;
  job.costs.framework.hidden_fused = chosen(0.75);
  const double exchanges = 2 * 6 * (2e-6 + 2 * 80 / 50e9);
  EXPECT_NEAR(passes(job).together,
              kForward + kBackward + 45 * kGatherSeconds + (0.25 + kSlowdown * 0.75) * exchanges, 1e-12);
}

// Flows list collectives as they are priced: three quarters of the forward's 18 and half of the fused passes'
// 12 exchanges are hidden.
TEST(PassesTogether, ListWhatIsLeftOverAsExposed) {
  SmallJob job = two_members(TensorOverlap::All);
  job.pipeline.replicas = 2;
  job.costs.parallelism.expert = 4;
  job.costs.framework.hidden_tensor = chosen(0.75);
  job.costs.framework.hidden_fused = chosen(0.5);
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  const auto times = [&](EventKind kind, CollectiveOperation operation, bool hidden) {
    double sum = 0;
    for (const SlabCollective& one : model.collectives({.kind = kind}, ReplicaId(0)))
      if (one.operation == operation && one.hidden == hidden) sum += one.times;
    return sum;
  };
  const auto gathers = CollectiveOperation::AllGather, exchanges = CollectiveOperation::AllToAll;
  EXPECT_DOUBLE_EQ(times(EventKind::Forward, gathers, true), 3 * times(EventKind::Forward, gathers, false));
  EXPECT_EQ(times(EventKind::Forward, exchanges, true), 0);
  EXPECT_DOUBLE_EQ(times(EventKind::ForwardBackward, exchanges, true), 6);
  EXPECT_DOUBLE_EQ(times(EventKind::ForwardBackward, exchanges, false), 6);
}

// At 1e12 FLOP/s computing takes almost nothing, so the fused passes last as long as their 45 gathers.
TEST(PassesTogether, TakeAsLongAsWhatHides) {
  SmallJob job = two_members(TensorOverlap::All);
  job.costs.platform.accelerator.peak = chosen(FlopsPerSecond(1e12));
  EXPECT_NEAR(passes(job).together, 45 * kGatherSeconds, 1e-12);
}

}  // namespace
}  // namespace spillway
