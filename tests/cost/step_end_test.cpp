// The end of a step that a framework states, by hand: bytes over bandwidth, and rings over copies.
#include "cost/step_end.h"

#include <gtest/gtest.h>

#include "cost/reduction.h"
#include "small_job.h"

namespace spillway {
namespace {

Sourced<ReductionStart> from(ReductionStart start) {
  return {start, Evidence::Assumed, "chosen for a test"};
}

// Two replicas of two ranks train all with ZeRO-1, at 1 GB/s of memory.
SmallJob zero1_job(ReductionStart start = ReductionStart::AfterBackward) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  job.costs.parallelism = sizes(1, 1, DataParallel::Zero1);
  job.costs.platform.accelerator.memory_bandwidth = chosen(BytesPerSecond(1e9));
  job.costs.framework.reductions = from(start);
  return job;
}

StepEnd end_of(const SmallJob& job, const Derived& derived) {
  const AnalyticCostModel model = job.priced(derived);
  return *model.step_end();
}

std::vector<Transfer> reductions_of(const SmallJob& job, const Derived& derived) {
  const AnalyticCostModel model = job.priced(derived);
  std::vector<Transfer> reductions(derived.stages.size());
  for (const Event& event : derived.order.events())
    if (event.kind == EventKind::DpReduce)
      reductions[event.stage.index()] = model.transfer(event, ReplicaId(0));
  return reductions;
}

double seconds(const OperatorTimes& times, double bytes) {
  return times.memory(Bytes(bytes)).time.value();
}

// A device holds 4 bytes of gradient per parameter and updates half of the parameters.
TEST(StepEnd, CountsTheBytesOfEachPart) {
  SmallJob job = zero1_job();
  Framework& framework = job.costs.framework;
  framework.gradient_checks = chosen(3.0);
  framework.clipped_steps = chosen(0.5);
  framework.between_steps = chosen(Seconds(2));
  framework.update = chosen(Seconds(1));
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  const OperatorTimes times(job.costs.platform.accelerator);
  const StepEnd end = *model.step_end();
  double parameters = 0;
  for (std::uint32_t stage = 0; stage < derived.stages.size(); ++stage)
    if (derived.stages[stage].rank == end.rank)
      parameters += model.model_state(StageId(stage)).gradients / Bytes(4);
  ASSERT_GT(parameters, 0);
  EXPECT_NEAR(end.zeroed.value(), seconds(times, 4 * parameters), 1e-12);
  EXPECT_NEAR(end.averaged.value(), seconds(times, 8 * parameters), 1e-12);
  EXPECT_NEAR(end.checked.value(), seconds(times, 3 * 4 * parameters), 1e-12);
  EXPECT_NEAR(end.norm.value(), seconds(times, 4 * parameters / 2), 1e-12);
  EXPECT_NEAR(end.clipped.value(), seconds(times, 0.5 * 8 * parameters / 2), 1e-12);
  EXPECT_NEAR(end.updated.value(), seconds(times, 28 * parameters / 2), 1e-12);
  EXPECT_NEAR(end.copied.value(), seconds(times, 6 * parameters / 2), 1e-12);
  EXPECT_EQ(end.between, Seconds(2));
  EXPECT_GT(end.tensors, Seconds());
  Seconds sum;
  for (const StepEndPart& part : kStepEndParts) sum += end.*part.time;
  EXPECT_EQ(end.total(), sum);
  framework.gradient_averages = chosen(0.0);
  EXPECT_EQ(end_of(job, derived).averaged, Seconds());
}

TEST(StepEnd, IsTheTimeOfTheBarrier) {
  const SmallJob job = zero1_job();
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel model = job.priced(derived);
  const Prices prices = price(derived, model);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    if (derived.order.event(EventId(id)).kind != EventKind::StepBarrier) continue;
    for (std::uint32_t lane = 0; lane < 2; ++lane)
      EXPECT_EQ(prices.durations.at(EventId(id), lane), model.step_end()->total());
  }
  SmallJob unstated = job;
  unstated.costs.framework.reductions = {};
  EXPECT_EQ(unstated.priced(derived).step_end(), nullptr);
}

// Without a statement each stage updates and gathers after its reduction. Stated, reductions only reduce.
TEST(StepEnd, TakesUpdatesAndGathersOutOfReductions) {
  SmallJob job = zero1_job(ReductionStart::ByStage);
  const Derived derived = job.derive_as("1f1b,1f1b", {{4}});
  const std::vector<Transfer> stated = reductions_of(job, derived);
  const StepEnd end = end_of(job, derived);
  job.costs.framework.reductions = {};
  const std::vector<Transfer> unstated = reductions_of(job, derived);
  Seconds gathers;
  for (std::size_t stage = 0; stage < stated.size(); ++stage) {
    EXPECT_EQ(stated[stage].update, Seconds());
    const Seconds gather = unstated[stage].alone - unstated[stage].update - stated[stage].alone;
    if (derived.stages[stage].rank == end.rank) gathers += gather;
  }
  EXPECT_GT(end.returned, Seconds());
  EXPECT_NEAR(end.returned.value(), gathers.value(), 1e-9);
}

// The first stage of a rank ends its backwards last, and then reduces all stages' gradients.
TEST(StepEnd, ReducesARanksStagesTogetherAfterItsBackward) {
  const SmallJob by_stage = zero1_job(ReductionStart::ByStage), after = zero1_job();
  const Derived derived = by_stage.derive_as("1f1b,1f1b", {{4}});
  const std::vector<Transfer> apart = reductions_of(by_stage, derived),
                              joined = reductions_of(after, derived);
  int moved = 0;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Transfer sum_apart, sum_joined;
    bool first = true;
    for (std::size_t stage = 0; stage < apart.size(); ++stage) {
      if (derived.stages[stage].rank != RankId(rank)) continue;
      sum_apart.alone += apart[stage].alone, sum_apart.payload += apart[stage].payload;
      sum_joined.alone += joined[stage].alone, sum_joined.payload += joined[stage].payload;
      if (apart[stage].alone == Seconds()) continue;
      if (!first) {
        EXPECT_EQ(joined[stage].alone, Seconds());
        ++moved;
      }
      first = false;
    }
    EXPECT_NEAR(sum_joined.alone.value(), sum_apart.alone.value(), 1e-12);
    EXPECT_NEAR(sum_joined.payload.value(), sum_apart.payload.value(), 1e-6);
  }
  EXPECT_GT(moved, 0);
}

// Buckets hide in a backward only where hooks reduce them: on the first rank of a pipeline that is not
// folded.
TEST(StepEnd, AlignedReductionsHideOnTheFirstRankAlone) {
  for (const char* text : {"1f1b", "1f1b,1f1b"}) {
    const bool folded = std::string(text) != "1f1b";
    SmallJob job = zero1_job(ReductionStart::Aligned);
    job.costs.framework.hidden_gradients = chosen(1.0);
    const Derived derived = job.derive_as(text, folded ? Cut{{4}} : Cut{});
    const auto aligned = reductions_of(job, derived);
    job.costs.framework.reductions = from(ReductionStart::ByBucket);
    const auto by_bucket = reductions_of(job, derived);
    job.costs.framework.reductions = from(ReductionStart::ByStage);
    job.costs.framework.hidden_gradients = not_stated(0.0);
    const auto by_stage = reductions_of(job, derived);
    for (std::size_t stage = 0; stage < aligned.size(); ++stage) {
      const bool hooks = derived.stages[stage].rank == RankId(0) && !folded;
      EXPECT_EQ(aligned[stage].alone, (hooks ? by_bucket : by_stage)[stage].alone) << text << ' ' << stage;
      EXPECT_LE(by_bucket[stage].alone, by_stage[stage].alone);
    }
  }
}

// Devices 0, 2, 4 and 6 of a node share 2e6 bytes. Each passes its quarter on in a chain of three steps of 2
// us at 50 GB/s, one device after the other.
TEST(StepEnd, BroadcastsFollowOneAnother) {
  SmallJob job;
  job.costs.parallelism = sizes(2, 1, DataParallel::Zero1);
  StageParameters stage;
  stage.tensor = 2e6;
  const auto returned = [&] {
    return GradientReductions(job.costs, {2, 4, 2}).of({RankId(0), RankId(0), 1}, stage).parameters;
  };
  EXPECT_NEAR(returned().alone.value(), 3 * (2e-6 + 5e5 / 50e9), 1e-12);
  job.costs.framework.parameters =
      Sourced<ParameterReturn>{ParameterReturn::Broadcasts, Evidence::Assumed, "chosen for a test"};
  const Transfer broadcast = returned();
  EXPECT_NEAR(broadcast.alone.value(), 4 * (3 * 2e-6 + 5e5 / 50e9), 1e-12);
  EXPECT_NEAR(broadcast.payload.value(), 2e6, 1e-6);
  job.costs.framework.parameters->value = ParameterReturn::Gather;
  EXPECT_NEAR(returned().alone.value(), 3 * (2e-6 + 5e5 / 50e9), 1e-12);
}

// Devices 0, 2, 4 and 6 of a node share 2e6 parameters, whose gradients are 8 MB. A ring takes three steps of
// a quarter to give each its part of the sum, and three more to give each the whole.
TEST(StepEnd, AnAllReduceGivesEachTheWholeSum) {
  SmallJob job;
  job.costs.parallelism = sizes(2, 1, DataParallel::Zero1);
  StageParameters stage;
  stage.tensor = 4e6;
  const auto reduced = [&] {
    return GradientReductions(job.costs, {2, 4, 2})
        .of({RankId(0), RankId(0), 1}, stage)
        .gradients.alone.value();
  };
  const double step = 2e-6 + 8e6 / 4 / 50e9;
  EXPECT_NEAR(reduced(), 3 * step, 1e-12);
  job.costs.framework.gradient_sum =
      Sourced<GradientSum>{GradientSum::AllReduce, Evidence::Assumed, "chosen for a test"};
  EXPECT_NEAR(reduced(), 6 * step, 1e-12);
  job.costs.framework.gradient_sum->value = GradientSum::Scatter;
  EXPECT_NEAR(reduced(), 3 * step, 1e-12);
}

// Beside hidden collectives passes take longer by the platform's share of their time.
TEST(StepEnd, PassesAreSlowerBesideHiddenCollectives) {
  SmallJob job = zero1_job(ReductionStart::ByStage);
  job.costs.platform.accelerator.slowdown_under_communication = chosen(0.25);
  job.costs.framework.hidden_parameters = chosen(1.0);
  const Derived derived = job.derive_as("1f1b,1f1b", {{4}});
  const std::vector<Transfer> reductions = reductions_of(job, derived);
  const StepEnd end = end_of(job, derived);
  Seconds beside;  // all reductions of the rank but its first stage's
  bool first = true;
  for (std::size_t stage = 0; stage < reductions.size(); ++stage) {
    if (derived.stages[stage].rank != end.rank || reductions[stage].alone == Seconds()) continue;
    if (!first) beside += reductions[stage].alone;
    first = false;
  }
  EXPECT_GT(beside, Seconds());
  EXPECT_NEAR(end.hidden_reduced.value(), beside.value(), 1e-12);
  EXPECT_GT(end.hidden_return, Seconds());
  EXPECT_NEAR(end.slowed.value(), 0.25 * (beside + end.hidden_return).value(), 1e-12);
  job.costs.framework.reductions = from(ReductionStart::AfterBackward);
  EXPECT_NEAR(end_of(job, derived).hidden_reduced.value(), 0, 1e-12);
}

// The forwards of the stages before, and its own, hide a stage's gather.
TEST(StepEnd, ForwardsHideWhatIsReturned) {
  SmallJob job = zero1_job();
  const Derived derived = job.derive_as("1f1b", {});
  const StepEnd exposed = end_of(job, derived);
  job.costs.framework.hidden_parameters = chosen(1.0);
  const StepEnd hidden = end_of(job, derived);
  EXPECT_EQ(exposed.hidden_return, Seconds());
  EXPECT_GT(exposed.returned, Seconds());
  EXPECT_EQ(hidden.returned, Seconds());  // passes take seconds here, gathers microseconds
  EXPECT_EQ(hidden.hidden_return, exposed.returned);
}

// Waits count a number's sum over all eight devices or the four copies of the last stage, and a launch.
TEST(StepEnd, HostsWaitForSums) {
  SmallJob job = zero1_job();
  job.costs.framework.launch = chosen(Seconds(1));
  job.costs.framework.norm_waits = chosen(3.0);
  job.costs.framework.loss_waits = chosen(2.0);
  const Derived derived = job.derive_as("1f1b", {});
  const StepEnd end = end_of(job, derived);
  EXPECT_GT(end.met.value(), 3);
  EXPECT_NEAR(end.met.value(), 3, 1e-3);
  EXPECT_GT(end.loss.value(), 2);
  EXPECT_NEAR(end.loss.value(), 2, 1e-3);
  job.pipeline.replicas = 8;
  job.draw.assign(8, job.draw.front());
  EXPECT_GT(end_of(job, job.derive_as("1f1b", {})).met, end.met);
}

}  // namespace
}  // namespace spillway
