#include "validate/validation.h"

#include <gtest/gtest.h>

#include "traces/own_pipeline.h"
#include "traces/trace_files.h"

namespace spillway::testing {
namespace {

const ScheduleMatch kOneFOneB{"1f1b", 0, "", {}};

// Two ranks run four microbatches with F 1 s, B 2 s and transfers of 0.5 s that block or overlap.
MeasuredPipeline run_of_our_own(PointToPoint mode) {
  const Derived own = uniform_with("1f1b", 2, 4, mode);
  const Prices prices = price(own, GivenCostModel(uniform_costs(1, 1, 1, 0.5), own));
  return pipeline_of(own, LongestPath(own.order).timeline(prices.durations));
}

Validation validated(const MeasuredPipeline& pipeline, const ModelSource* model = nullptr) {
  return validate_trace(trace_of(pipeline), pipeline, kOneFOneB, model);
}

void expect_no_error(const ErrorSummary& errors) {
  EXPECT_EQ(errors.mean_absolute, 0);
  EXPECT_EQ(errors.most_absolute, 0);
  EXPECT_EQ(errors.bias, 0);
}

TEST(Validation, InfersWhetherTransfersBlock) {
  for (PointToPoint mode : {PointToPoint::Blocking, PointToPoint::Overlapped}) {
    const Validation validation = validated(run_of_our_own(mode));
    EXPECT_EQ(validation.transfers.point_to_point, mode);
    EXPECT_EQ(validation.transfers.sends, 8u);
    EXPECT_EQ(validation.transfers.computing_share > 0, mode == PointToPoint::Overlapped);
    expect_no_error(span_errors(validation, &ValidatedStep::replayed));
    expect_no_error(span_errors(validation, &ValidatedStep::constant_transfer));
    expect_no_error(span_errors(validation, &ValidatedStep::means_only));
    EXPECT_GT(span_errors(validation, &ValidatedStep::other_mode).mean_absolute, 0);
    EXPECT_EQ(model_errors(validation), std::nullopt);
    EXPECT_TRUE(validation.notes.empty());
  }
}

// The replay of the program's own run gives the same time for every event and starts at 0.
TEST(Validation, TheFirstStepIsTheSameMeasuredAndReplayed) {
  MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Blocking);
  const Validation validation = validated(pipeline);
  const auto& [derived, measured, replayed] = validation.first;
  Seconds first = measured.makespan();
  std::size_t compared = 0;
  for (std::uint32_t id = 0; id < derived->order.event_count(); ++id) {
    const Seconds start = measured.start.at(EventId(id), 0), end = measured.end.at(EventId(id), 0);
    if (start == end) continue;
    first = std::min(first, start);
    EXPECT_NEAR(start.value(), replayed.start.at(EventId(id), 0).value(), 1e-12);
    EXPECT_NEAR(end.value(), replayed.end.at(EventId(id), 0).value(), 1e-12);
    ++compared;
  }
  EXPECT_GT(compared, 16u);
  EXPECT_EQ(first, Seconds());
  EXPECT_EQ(measured.makespan(), validation.cases.front().measured);
}

TEST(Validation, WithoutSendsTransfersOverlapAndThatIsSaid) {
  MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Blocking);
  for (auto* transfers : {&pipeline.steps[0].activations, &pipeline.steps[0].gradients})
    for (auto& stage : *transfers) stage.assign(stage.size(), MeasuredTransfer{});
  const Validation validation = validated(pipeline);
  EXPECT_EQ(validation.transfers.point_to_point, PointToPoint::Overlapped);
  ASSERT_EQ(validation.notes.size(), 2u);
  EXPECT_EQ(validation.notes[0].kind, NoteKind::Guessed);
}

TEST(Validation, NotesOfEverySourceAreKept) {
  MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Overlapped);
  pipeline.notes = {{NoteKind::Dropped, 1, "step"}};
  std::swap(pipeline.steps[0].order[1][2], pipeline.steps[0].order[1][3]);
  Trace trace = trace_of(pipeline);
  trace.notes = {{NoteKind::Read, 2, "rows"}};
  const ScheduleMatch match{"listed", 0, "1f1b", {{NoteKind::Differs, 0, "rank 0 slot 1"}}};
  const Validation validation = validate_trace(trace, pipeline, match);
  ASSERT_EQ(validation.notes.size(), 4u);
  EXPECT_EQ(to_string(validation.notes[0]), "read: 2 rows");
  EXPECT_EQ(to_string(validation.notes[1]), "dropped: 1 step");
  EXPECT_EQ(validation.notes[2].kind, NoteKind::Differs);
  EXPECT_EQ(validation.notes[2].count, 1u);
  EXPECT_EQ(validation.notes[3].text, "rank 0 slot 1");
}

// One of two replicas is slow: F 2 s and B 4 s. The mean over both is wrong for each; a mean per replica is
// right.
TEST(Validation, MeansHideASlowReplica) {
  const Derived own = uniform_with("1f1b", 2, 4, PointToPoint::Overlapped);
  Durations durations(own.order.event_count(), 2);
  const Durations fast = price(own, GivenCostModel(uniform_costs(1, 1, 1), own)).durations;
  for (std::uint32_t id = 0; id < own.order.event_count(); ++id) {
    durations.at(EventId(id), 0) = fast.at(EventId(id), 0);
    durations.at(EventId(id), 1) = 2 * fast.at(EventId(id), 0);
  }
  const MeasuredPipeline pipeline = pipeline_of(own, LongestPath(own.order).timeline(durations), 2);
  const Validation validation = validated(pipeline);
  expect_no_error(span_errors(validation, &ValidatedStep::means_per_replica));
  const ErrorSummary means = span_errors(validation, &ValidatedStep::means_only);
  EXPECT_DOUBLE_EQ(means.most_absolute, 0.5);    // 1.5 for 1
  EXPECT_DOUBLE_EQ(means.mean_absolute, 0.375);  // and 1.5 for 2
  EXPECT_DOUBLE_EQ(means.bias, 0.125);
}

Experiment experiment(std::uint32_t ranks, std::uint32_t microbatches, double forward) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  return {"x",
          {},
          {ranks, microbatches},
          model,
          PointToPoint::Overlapped,
          InnerCollectives::Priced,
          uniform_costs(forward, 1, 1, 0.5),
          {{"a", schedule("1f1b"), {}}}};
}

std::unique_ptr<Pricing> given_costs(const Experiment& experiment, const Derived& derived) {
  return std::make_unique<GivenCostModel>(std::get<GivenCosts>(experiment.costs), derived);
}

TEST(Validation, TheModelThatMadeTheTraceHasNoError) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Blocking);
  const Experiment same = experiment(2, 4, 1);
  const ModelSource source{same, given_costs};
  const Validation validation = validated(pipeline, &source);
  ASSERT_TRUE(model_errors(validation).has_value());
  expect_no_error(*model_errors(validation));
  EXPECT_TRUE(validation.notes.empty());
}

// The model's forwards take 2 s instead of 1, so each rank computes four seconds more.
TEST(Validation, TheModelsErrorShowsInItsComponents) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Blocking);
  const Experiment slower = experiment(2, 4, 2);
  const ModelSource source{slower, given_costs};
  const Validation validation = validated(pipeline, &source);
  EXPECT_GT(model_errors(validation)->bias, 0);
  for (const RankComponents& rank : validation.cases[0].ranks) {
    ASSERT_TRUE(rank.model.has_value());
    EXPECT_DOUBLE_EQ((rank.model->compute - rank.measured.compute).value(), 4);
    EXPECT_DOUBLE_EQ(rank.model->total().value(), validation.cases[0].model->value());
  }
}

TEST(Validation, AnotherNumberOfMicrobatchesIsSaidAndThatOfTheTraceTaken) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Overlapped);
  const Experiment longer = experiment(2, 9, 1);
  const ModelSource source{longer, given_costs};
  const Validation validation = validated(pipeline, &source);
  expect_no_error(*model_errors(validation));
  EXPECT_EQ(texts(validation.notes),
            std::vector<std::string>{
                "differs: the trace has 4 microbatches, the experiment 9: the trace's number is used"});
}

TEST(Validation, AModelOfOtherRanksIsNotPriced) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Overlapped);
  const Experiment wider = experiment(4, 4, 1);
  const ModelSource source{wider, given_costs};
  const Validation validation = validated(pipeline, &source);
  EXPECT_FALSE(model_errors(validation).has_value());
  EXPECT_EQ(texts(validation.notes),
            std::vector<std::string>{
                "differs: the trace has 2 pipeline ranks, the experiment 4: the model is not priced"});
}

TEST(Validation, WhatAModelThatIsNotPricedLacksIsNotSaidToBeTaken) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Overlapped);
  Experiment other = experiment(4, 9, 1);
  other.pipeline.replicas = 3;
  const ModelSource source{other, given_costs};
  EXPECT_EQ(texts(validated(pipeline, &source).notes),
            (std::vector<std::string>{
                "differs: the trace has 2 pipeline ranks, the experiment 4: the model is not priced",
                "differs: the trace has 4 microbatches, the experiment 9",
                "differs: the trace has 1 replicas, the experiment 3"}));
}

TEST(Validation, WorkOfTooFewMicrobatchesIsNotPriced) {
  const MeasuredPipeline pipeline = run_of_our_own(PointToPoint::Overlapped);
  Experiment shorter = experiment(2, 2, 1);
  std::get<GivenCosts>(shorter.costs).blocks[0].work = {{1, 1}};
  const ModelSource source{shorter, given_costs};
  EXPECT_FALSE(model_errors(validated(pipeline, &source)).has_value());
}

}  // namespace
}  // namespace spillway::testing
