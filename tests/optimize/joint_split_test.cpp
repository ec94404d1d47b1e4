// "split": "joint", against every way to share layers out over the stages of pipelined regions.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"
#include "support/property.h"

namespace spillway {
namespace {

using Counts = std::vector<std::uint32_t>;

std::string profile(double forward_ms) {
  const std::string ms = std::to_string(forward_ms);
  return R"("profile": { "forward_ms": )" + ms + R"(, "input_gradient_ms": )" + ms +
         R"(, "weight_gradient_ms": )" + ms + " }";
}

// An encoder and a backbone under one schedule.
struct TwoBlocks {
  std::uint32_t ranks, encoder, backbone;
  double encoder_ms, backbone_ms;

  Experiment under(const std::string& schedule) const {
    return parse_experiment(
        R"({ "schema": "spillway/experiment/1", "name": "joint", "pipeline": { "ranks": )" +
            std::to_string(ranks) + R"(, "microbatches": )" + std::to_string(2 * ranks) +
            R"( }, "model": { "blocks": [ { "name": "enc", "role": "encoder", "trainable": true, "layers": )" +
            std::to_string(encoder) + ", " + profile(encoder_ms) +
            R"( }, { "name": "llm", "trainable": true, "layers": )" + std::to_string(backbone) + ", " +
            profile(backbone_ms) + R"( } ] }, "schedules": [ { "name": "s", )" + schedule + " } ] }",
        "joint.json", {});
  }

  double time_of(std::uint32_t layer) const { return layer < encoder ? encoder_ms : backbone_ms; }
  double slowest(const Counts& stages, std::uint32_t first = 0) const {
    double most = 0;
    for (const std::uint32_t count : stages) {
      double sum = 0;
      for (std::uint32_t i = 0; i < count; ++i) sum += time_of(first++);
      most = std::max(most, sum);
    }
    return most;
  }
};

PlannedSchedule planned_stages(const Experiment& experiment) {
  OrderCache orders;
  return plan(DrawCosts(experiment), orders, experiment.schedules.front());
}

// Returns the layers of the pipelined stages, input first.
Counts stages_of(const PlannedSchedule& plan) {
  std::vector<LayerRange> ranges;
  for (const Stage& stage : plan.derived().stages)
    if (plan.derived().placement[stage.region.index()].layout == Layout::Sharded)
      ranges.push_back(stage.layers);
  std::ranges::sort(ranges, {}, &LayerRange::first);
  Counts counts;
  for (const LayerRange& range : ranges) counts.push_back(range.size());
  return counts;
}

double least_of_all(const TwoBlocks& model, Counts& stages, std::size_t at, std::uint32_t left) {
  const auto behind = static_cast<std::uint32_t>(stages.size() - at - 1);
  if (behind == 0) {
    stages[at] = left;
    return model.slowest(stages);
  }
  double least = std::numeric_limits<double>::max();
  for (stages[at] = 1; stages[at] + behind <= left; ++stages[at]) {
    const std::uint32_t here = stages[at];
    least = std::min(least, least_of_all(model, stages, at + 1, left - here));
    stages[at] = here;
  }
  return least;
}

RC_GTEST_PROP(JointSplit, NoOtherHasAFasterSlowestStage, ()) {
  const TwoBlocks model{*rc::gen::inRange(1U, 4U), *rc::gen::inRange(1U, 6U), *rc::gen::inRange(5U, 8U),
                        *rc::gen::element(0.5, 1.0, 3.0), 2.0};
  const Counts stages =
      stages_of(planned_stages(model.under(R"("schedule": "1f1b,1f1b", "split": "joint")")));
  RC_ASSERT(stages.size() == 2 * model.ranks);
  Counts tried(stages.size());
  const double least = least_of_all(model, tried, 0, model.encoder + model.backbone);
  RC_ASSERT(std::abs(model.slowest(stages) - least) <= 1e-9 * least);
}

// A joint split equals the schedule that states its cut and layers.
TEST(JointSplit, IsTheScheduleThatStatesIt) {
  const TwoBlocks model{2, 3, 7, 1.0, 2.0};
  const Experiment joint = model.under(R"("schedule": "1f1b,1f1b", "split": "joint")");
  const PlannedSchedule plan = planned_stages(joint);
  ASSERT_EQ(plan.cut.boundaries.size(), 1u);
  const Counts stages = stages_of(plan);
  std::string layers;
  for (const std::uint32_t count : stages) layers += (layers.empty() ? "" : ", ") + std::to_string(count);
  const Experiment stated =
      model.under(R"("schedule": "1f1b,1f1b", "cut": [)" + std::to_string(plan.cut.boundaries[0]) +
                  R"(], "layers_per_rank": [)" + layers + "]");
  const auto run = [](const Experiment& experiment) {
    return evaluate(experiment, {.run = {Engine::LongestPath}}).schedules[0].draws[0].step.makespan;
  };
  EXPECT_EQ(run(joint), run(stated));
  EXPECT_EQ(plan.cut.boundaries[0], stages[0] + stages[1]);
}

TEST(JointSplit, LeavesWhatIsTransposedWhereItIs) {
  const TwoBlocks model{2, 3, 9, 1.0, 2.0};
  const PlannedSchedule plan =
      planned_stages(model.under(R"("schedule": "transpose,1f1b,1f1b", "split": "joint")"));
  EXPECT_EQ(plan.cut.boundaries.front(), 3u);
  EXPECT_EQ(plan.cut.boundaries.size(), 2u);
  EXPECT_EQ(stages_of(plan), (Counts{3, 2, 2, 2}));
}

// Cut at the block's boundary, the interleaved pipeline waits for its slow half.
TEST(JointSplit, IsFasterThanBlocksOfUnequalWork) {
  const TwoBlocks model{2, 4, 12, 1.0, 2.0};
  const auto run = [&](const std::string& split) {
    return evaluate(model.under(R"("schedule": "1f1b,1f1b", "split": ")" + split + '"'),
                    {.run = {Engine::LongestPath}})
        .schedules[0]
        .draws[0]
        .step.makespan;
  };
  EXPECT_LT(run("joint"), run("balanced") * 0.9);
}

}  // namespace
}  // namespace spillway
