// Whole experiments: the found schedule runs as it was promised.
#include "synthesize/synthesize.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "support/schema_check.h"
#include "support/shipped.h"

namespace spillway::testing {
namespace {

Experiment shipped(const std::string& name, const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + name + ".json"), settings);
}

// The entry, put into the document that it was found for, takes the same step.
TEST(Synthesize, ItsEntryRunsAsItWasFound) {
  for (const std::string name : {"zero-bubble", "first-look", "owners"}) {
    const Synthesis synthesis = synthesize(shipped(name), {.effort = 600});
    const Experiment again = shipped(name, {{"/schedules/-", synthesis.entry}});
    const Evaluation run = evaluate(again, {.run = {Engine::LongestPath}});
    EXPECT_EQ(mean_makespan(run.schedules.back()), mean_makespan(synthesis.found())) << name;
  }
}

TEST(Synthesize, IsNotSlowerOnPlanningDrawsThanAnyNamedSchedule) {
  for (const std::string name : {"zero-bubble", "first-look", "pipelines", "owners"}) {
    const Synthesis synthesis = synthesize(shipped(name), {.effort = 400});
    EXPECT_LE(synthesis.planned, synthesis.named) << name;
    EXPECT_EQ(synthesis.is_named, synthesis.planned > synthesis.named * (1 - 1e-4)) << name;
    EXPECT_GE(mean_makespan(synthesis.found()).value(), mean_bound(synthesis.found())->value() * (1 - 1e-12));
  }
}

// Every system and skeleton is a start, so an experiment with a slow schedule alone ends no slower than one
// with all of them.
TEST(Synthesize, StartsFromSchedulesThatTheExperimentDoesNotName) {
  Experiment alone = shipped("zero-bubble");
  const Synthesis all = synthesize(alone, {.effort = 100});
  alone.schedules.resize(1);
  alone.baseline = 0;
  const Synthesis one = synthesize(alone, {.effort = 100});
  EXPECT_LE(one.planned, all.named);
}

// Three microbatches on four ranks: two split stages a rank, behind a transposed encoder, are faster than all
// that have a name.
TEST(Synthesize, MakesStagesThatNoNamedScheduleHas) {
  const Synthesis synthesis = synthesize(shipped("small"), {.effort = 1500});
  EXPECT_FALSE(synthesis.is_named);
  EXPECT_NE(synthesis.made.find("stages a rank"), std::string::npos) << synthesis.made;
  EXPECT_LT(synthesis.planned, synthesis.named * 0.99);
  EXPECT_NE(synthesis_text(synthesis).find("its stages are those of no named schedule"), std::string::npos);
}

TEST(Synthesize, EffortAloneDecides) {
  const Experiment experiment = shipped("zero-bubble");
  const Synthesis one = synthesize(experiment, {.effort = 500});
  std::uint64_t asked = 0;
  const Synthesis stopped = synthesize(experiment, {.effort = 5000, .stop = [&] { return ++asked > 500; }});
  EXPECT_EQ(synthesis_json(synthesize(experiment, {.effort = stopped.tries}), ""),
            synthesis_json(stopped, ""));
  EXPECT_EQ(synthesis_json(synthesize(experiment, {.effort = 500}), ""), synthesis_json(one, ""));
}

TEST(Synthesize, HoldsNoMoreMemoryThanAllowed) {
  Synthesis free = synthesize(shipped("zero-bubble"), {.effort = 400});
  const Bytes needed = worst_peak(free.evaluation.schedules.front())->peak.parts.total();  // 1F1B's
  const Synthesis tight = synthesize(shipped("zero-bubble"), {.effort = 400, .memory = needed});
  EXPECT_LE(worst_peak(tight.found())->peak.parts.total(), needed);
  EXPECT_LE(mean_makespan(tight.found()), mean_makespan(tight.evaluation.schedules.front()));
}

// Room for three layers of one microbatch on a rank that has two layers. Lists that know no memory hold too
// much, all but those of one microbatch after the other, which take 3.07 s.
TEST(Synthesize, ListsOrdersForTheRoomOfRanks) {
  const Synthesis synthesis =
      synthesize(shipped("small", {{"/pipeline/microbatches", "12"},
                                   {"/model/blocks/0/work_per_microbatch", "[1,2,1,1,2,1,1,1,2,1,1,1]"}}),
                 {.effort = 600, .memory = Bytes(8e8)});
  EXPECT_EQ(fits(synthesis.evaluation, synthesis.found()), true);
  EXPECT_LT(synthesis.planned, Seconds(2.2));
}

TEST(Synthesize, TriesNoMoreOrdersThanAsked) {
  EXPECT_EQ(synthesize(shipped("zero-bubble"), {.effort = 1}).tries, 1U);
  EXPECT_EQ(synthesize(shipped("small"), {.effort = 7}).tries, 7U);
}

// One that needs more memory than there is may be faster, but is no comparison.
TEST(Synthesize, SaysThatNoNamedScheduleKeepsTheMemory) {
  const Synthesis synthesis = synthesize(shipped("small"), {.effort = 300, .memory = Bytes(8e8)});
  ASSERT_EQ(fits(synthesis.evaluation, synthesis.found()), true);
  ASSERT_EQ(fits(synthesis.evaluation, synthesis.best_named()), false);
  EXPECT_NE(synthesis_text(synthesis).find("which no named schedule keeps"), std::string::npos)
      << synthesis_text(synthesis);
}

TEST(Synthesize, SaysTheLeastMemoryIfNoOrderFits) {
  try {
    synthesize(shipped("zero-bubble"), {.effort = 100, .memory = Bytes(1e9)});
    FAIL();
  } catch (const Infeasible& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("the least that an order holds is "), std::string::npos)
        << refusal.what();
  }
}

// Orders that know the sizes of their draws are no slower than the one that serves all of them.
TEST(Synthesize, PlansEachDrawFromItsOwnSizes) {
  const std::vector<Setting> small = {{"/pipeline/microbatches", "8"}, {"/draws", "4"}};
  const Synthesis synthesis = synthesize(shipped("image-work", small), {.effort = 400, .per_draw = 300});
  ASSERT_TRUE(synthesis.draws);
  ASSERT_EQ(synthesis.draws->steps.size(), 4U);
  Seconds sum;
  for (std::size_t draw = 0; draw < 4; ++draw) {
    EXPECT_GE(synthesis.draws->steps[draw].value(), synthesis.draws->bounds[draw].value() * (1 - 1e-12));
    sum += synthesis.draws->steps[draw];
  }
  EXPECT_EQ(synthesis.draws->schedules.size(), 4U);
  EXPECT_DOUBLE_EQ(synthesis.draws->step().value(), sum.value() / 4);
  EXPECT_LT(sum / 4, mean_makespan(synthesis.found()));
  EXPECT_EQ(SchemaCheck("synthesis").complaints(nlohmann::json::parse(synthesis_json(synthesis, ""))), "");
  EXPECT_NE(synthesis_text(synthesis).find("planned from the sizes of its own draw"), std::string::npos);
  EXPECT_FALSE(synthesize(shipped("zero-bubble"), {.effort = 100, .per_draw = 50}).draws);
}

TEST(Synthesize, PrintsItsSchema) {
  const Synthesis synthesis = synthesize(shipped("zero-bubble"), {.effort = 100});
  EXPECT_EQ(SchemaCheck("synthesis").complaints(nlohmann::json::parse(synthesis_json(synthesis, ""))), "");
  EXPECT_NE(synthesis_text(synthesis).find("--effort 100 --seed 1"), std::string::npos)
      << synthesis_text(synthesis);
}

}  // namespace
}  // namespace spillway::testing
