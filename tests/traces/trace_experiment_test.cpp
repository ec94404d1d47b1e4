// Experiments made from measured pipelines written by hand.
#include "traces/pipeline/trace_experiment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "input/experiment/experiment.h"
#include "support/hand_made_pipeline.h"

namespace spillway {
namespace {

using Json = nlohmann::json;
using testing::hand_made_pipeline;

// Stage s has forwards of s + 1 seconds, but 3 (s + 1) in the second step, and backwards of 2 (s + 1).
MeasuredJob job(std::uint32_t ranks = 2, const std::string& schedule = "1f1b") {
  const auto forward = [](std::uint32_t stage, std::uint32_t step, std::uint32_t) {
    return (stage + 1.0) * (step == 1 ? 3 : 1);
  };
  const auto backward = [](std::uint32_t stage, std::uint32_t, std::uint32_t) { return 2 * (stage + 1.0); };
  return {"job",
          hand_made_pipeline(ranks, 3, 2, forward, backward),
          {schedule, 0, "", {}},
          PointToPoint::Blocking,
          {}};
}

Experiment parsed(const std::string& text) {
  return parse_experiment(text, "job.csv", {});
}

const GivenCosts& costs(const Experiment& experiment) {
  return std::get<GivenCosts>(experiment.costs);
}

std::string complaint(const std::string& text) {
  try {
    trace_experiment(job(), text, "x.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TraceExperiment, SpreadsAStagesMeansOverItsLayers) {
  const Experiment e = parsed(trace_experiment(job()));
  EXPECT_EQ(e.pipeline.ranks, 2u);
  EXPECT_EQ(e.pipeline.microbatches, 3u);
  EXPECT_EQ(e.draws, 16u);
  EXPECT_EQ(e.point_to_point, PointToPoint::Blocking);
  ASSERT_EQ(e.model.blocks().size(), 2u);
  EXPECT_EQ(e.model.blocks()[1].name, "stage-1");
  EXPECT_EQ(e.model.blocks()[1].layers, 4u);
  const BlockProfile& second = costs(e).blocks[1];
  EXPECT_DOUBLE_EQ(second.forward.value(), 4.0 / 4);
  EXPECT_DOUBLE_EQ(second.input_gradient.value(), 2.0 / 4);
  EXPECT_DOUBLE_EQ(second.weight_gradient.value(), 2.0 / 4);
  EXPECT_EQ(second.measured_work,
            (MeasuredWork{{{{0.5, 1}, {0.5, 1}, {0.5, 1}}}, {{{1.5, 1}, {1.5, 1}, {1.5, 1}}}}));
  EXPECT_EQ(costs(e).reduction, Seconds());
}

TEST(TraceExperiment, ReplicasOfAStepStayTogether) {
  MeasuredJob paired = job();
  paired.pipeline.steps[1].step = paired.pipeline.steps[0].step;
  const Experiment e = parsed(trace_experiment(paired));
  ASSERT_EQ(costs(e).blocks[0].measured_work.size(), 1u);
  EXPECT_EQ(costs(e).blocks[0].measured_work[0].size(), 2u);
}

TEST(TraceExperiment, TransfersTakeTheMedianOfThoseWithBothSides) {
  MeasuredJob with = job();
  const auto transfer = [](double sent, double received) {
    return MeasuredTransfer{Interval{Seconds(1), Seconds(1 + sent)},
                            Interval{Seconds(2), Seconds(2 + received)}};
  };
  for (MeasuredStep& step : with.pipeline.steps) {
    step.activations = {{transfer(0.25, 9), transfer(9, 0.5), transfer(7, 8)}, {}};
    step.gradients = {
        {transfer(0.125, 1), MeasuredTransfer{Interval{Seconds(), Seconds(100)}, {}}, transfer(9, 9)}};
  }
  EXPECT_DOUBLE_EQ(costs(parsed(trace_experiment(with))).p2p.value(), 0.5);
  EXPECT_EQ(costs(parsed(trace_experiment(job()))).p2p, Seconds());
}

TEST(TraceExperiment, SplitBackwardsKeepTheirHalves) {
  MeasuredJob split = job();
  for (MeasuredStep& step : split.pipeline.steps)
    for (auto& stage : step.passes)
      for (MeasuredPasses& passes : stage) passes.weight = Interval{Seconds(50), Seconds(51)};
  const Experiment e = parsed(trace_experiment(split));
  EXPECT_DOUBLE_EQ(costs(e).blocks[1].input_gradient.value(), 1);
  EXPECT_DOUBLE_EQ(costs(e).blocks[1].weight_gradient.value(), 0.25);
}

TEST(TraceExperiment, WovenRegionsEndWhereTheStagesDo) {
  MeasuredJob woven = job(4, "1f1b,1f1b");
  woven.pipeline.ranks = 2;
  woven.pipeline.microbatches = 4;
  woven.schedule.microbatch_group = 2;
  for (MeasuredStep& step : woven.pipeline.steps)
    for (auto& stage : step.passes) stage.push_back(stage.front());
  const Experiment e = parsed(trace_experiment(woven));
  EXPECT_EQ(e.schedules[0].cut.boundaries, (std::vector<std::uint32_t>{8}));
  EXPECT_EQ(e.schedules[0].microbatch_group, 2u);
}

TEST(TraceExperiment, AnUnknownOrderIsListed) {
  MeasuredJob listed = job(2, "listed");
  const auto slot = [](Action action, std::uint32_t microbatch) {
    return Slot{action, 0, MicrobatchId(microbatch)};
  };
  const RankOrder order = {slot(Action::Forward, 0),  slot(Action::Backward, 0), slot(Action::Forward, 2),
                           slot(Action::Backward, 2), slot(Action::Forward, 1),  slot(Action::Backward, 1)};
  listed.pipeline.placement.orders = {order, order};
  EXPECT_EQ(listed_rows(listed.pipeline.placement)[1], "1F0,1B0,1F2,1B2,1F1,1B1");
  const Experiment e = parsed(trace_experiment(listed));
  EXPECT_EQ(**e.schedules[0].schedule.skeletons.back().listed, listed.pipeline.placement);
}

TEST(TraceExperiment, NotesAreAssumptions) {
  MeasuredJob noted = job();
  noted.notes = {{NoteKind::Dropped, 2, "events"}, {NoteKind::Read, 9, "rows"}};
  noted.pipeline.notes = {{NoteKind::Guessed, 0, "clocks"}};
  const std::vector<std::string> lines = parsed(trace_experiment(noted)).assumptions;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "dropped: 2 events"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "guessed: clocks"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "read: 9 rows"), 0);
}

TEST(TraceOverlay, AddsSchedulesBeforeThatOfTheTrace) {
  const Experiment e = parsed(trace_experiment(
      job(), R"({"name": "mine", "pipeline": {"microbatches": 6}, "schedules": [{"name": "t", "cut": [4],
                 "schedule": "transpose,1f1b"}], "model": {"blocks": [{"name": "stage-0", "role": "encoder"},
                 {"name": "stage-1", "layers": 2, "profile": {"activation_bytes": 5}}]}})",
      "x.json"));
  EXPECT_EQ(e.name, "mine");
  EXPECT_EQ(e.pipeline.microbatches, 6u);
  ASSERT_EQ(e.schedules.size(), 2u);
  EXPECT_EQ(e.schedules[0].name, "t");
  EXPECT_EQ(e.schedules[1].name, "trace-order");
  EXPECT_EQ(e.schedules[1].layers_per_rank, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(e.baseline, 1u);
  EXPECT_EQ(e.model.blocks()[0].role, Role::Encoder);
  EXPECT_DOUBLE_EQ(costs(e).blocks[1].forward.value(), 4.0 / 2);
  EXPECT_EQ(costs(e).blocks[1].activation, Bytes(5));
  EXPECT_EQ(costs(e).blocks[1].measured_work.size(), 2u);
}

TEST(TraceOverlay, MayReplaceTheScheduleOfTheTrace) {
  const Experiment e = parsed(
      trace_experiment(job(), R"({"schedules": [{"name": "trace-order", "schedule": "gpipe"}]})", "x.json"));
  ASSERT_EQ(e.schedules.size(), 1u);
  EXPECT_EQ(to_string(e.schedules[0].schedule), "gpipe");
}

TEST(TraceOverlay, RefusesBlocksThatAreNoStages) {
  EXPECT_EQ(complaint(R"({"model": {"blocks": [{"name": "llm"}]}})"),
            "x.json: /model/blocks: expected 2 blocks, one for each stage of the trace, stage-0 to stage-1, "
            "found 1");
  EXPECT_EQ(complaint(R"({"model": {"blocks": [{"name": "stage-1"}, 3]}})"),
            "x.json: /model/blocks/0/name: expected \"stage-0\", a stage of the trace, found \"stage-1\"\n"
            "x.json: /model/blocks/1/name: expected \"stage-1\", a stage of the trace, found 3");
  EXPECT_EQ(complaint("[]"), "x.json: /: expected an object, found a list of 0");
  EXPECT_EQ(complaint(R"({"name": "a", "name": "b"})"),
            "x.json: /name: expected this key once, found it more than once");
}

}  // namespace
}  // namespace spillway
