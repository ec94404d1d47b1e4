// Measured microbatches, orders inside the document, and experiments that are not in a file.
#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

// Returns an experiment of two blocks on two ranks with two microbatches.
std::string experiment(const std::string& first, const std::string& second,
                       const std::string& schedule = R"("schedule": "1f1b")") {
  const std::string profile =
      R"("layers": 2, "profile": {"forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1})";
  return R"({"schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": 2, "microbatches": 2},)"
         R"("model": {"blocks": [{"name": "a", )" +
         profile + first + R"(}, {"name": "b", )" + profile + second +
         R"(}]}, "schedules": [{"name": "s", )" + schedule + "}]}";
}

Experiment parsed(const std::string& text) {
  return parse_experiment(text, "x.json", {});
}

const BlockProfile& block(const Experiment& experiment, std::size_t index) {
  return std::get<GivenCosts>(experiment.costs).blocks[index];
}

TEST(MeasuredWork, IsReadByStepReplicaAndMicrobatch) {
  const Experiment e = parsed(
      experiment(R"(, "measured_work": [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[9, 1], [2, 3]]]])", ""));
  EXPECT_EQ(block(e, 0).measured_work,
            (MeasuredWork{{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, {{{9, 1}, {2, 3}}}}));
  EXPECT_TRUE(block(e, 0).work.empty());
  EXPECT_TRUE(block(e, 1).measured_work.empty());
}

TEST(MeasuredWork, NeedNotBeOfAsManyMicrobatchesAsThePipeline) {
  EXPECT_EQ(block(parsed(experiment(R"(, "measured_work": [[[[1, 2]]]])", "")), 0).measured_work.size(), 1u);
}

TEST(MeasuredWork, BackwardsMayDiffer) {
  const Experiment e =
      parsed(experiment(R"(, "work_per_microbatch": [1, 2], "backward_work_per_microbatch": [3, 4])", ""));
  EXPECT_EQ(block(e, 0).backward_work, (std::vector<std::vector<double>>{{3, 4}}));
}

TEST(MeasuredWork, OfAnotherShapeIsRefused) {
  const std::string at = "x.json: /model/blocks/";
  EXPECT_EQ(experiment_complaints(experiment(R"(, "measured_work": [[[[1, 1]]], [[[1, 1]]]])",
                                             R"(, "measured_work": [[[[1, 1]]]])")),
            Lines{at + "1/measured_work: expected as many steps, replicas and microbatches as the first "
                       "block that has it, found others"});
  EXPECT_EQ(
      experiment_complaints(experiment(R"(, "measured_work": [[[[1, 1]]], [[[1, 1], [1, 1]]]])", "")),
      Lines{at + "0/measured_work/1/0: expected as many microbatches as the first list has, 1, found 2"});
  EXPECT_EQ(
      experiment_complaints(experiment(R"(, "measured_work": [[[[1, 1, 1]]]])", "")),
      Lines{
          at +
          "0/measured_work/0/0/0: expected two factors: one for the forward and one for the backward, found "
          "a list of 3"});
  EXPECT_EQ(experiment_complaints(experiment(R"(, "measured_work": [])", "")),
            Lines{at + "0/measured_work: expected at least one step, found an empty list"});
  EXPECT_EQ(experiment_complaints(experiment(R"(, "measured_work": [[]])", "")),
            Lines{at + "0/measured_work/0: expected at least one replica, found an empty list"});
}

TEST(MeasuredWork, ExcludesOtherWork) {
  EXPECT_EQ(experiment_complaints(
                experiment(R"(, "measured_work": [[[[1, 1]]]], "work_per_microbatch": [1, 1])", "")),
            Lines{"x.json: /model/blocks/0/work_per_microbatch: expected no such key beside measured_work, "
                  "found a list of 2"});
}

TEST(Actions, AreAnOrderInsideTheDocument) {
  const std::string rows = R"("schedule": "listed", "actions": ["0F0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"])";
  const Experiment e = parsed(experiment("", "", rows));
  ASSERT_TRUE(e.schedules[0].schedule.skeletons.back().listed);
  EXPECT_EQ((*e.schedules[0].schedule.skeletons.back().listed)->stage_rank,
            (std::vector<RankId>{RankId(0), RankId(1)}));
  EXPECT_EQ((*e.schedules[0].schedule.skeletons.back().listed)->orders[1][1].action, Action::Backward);
}

TEST(Actions, AreCheckedLikeAFile) {
  EXPECT_EQ(
      experiment_complaints(experiment("", "", R"("schedule": "listed", "actions": ["0F0", "1G0"])")),
      Lines{
          "x.json: /schedules/0/actions/1/0: expected 1E0 before its backward on the same rank, found 1G0"});
  EXPECT_EQ(
      experiment_complaints(experiment("", "", R"("schedule": "1f1b", "actions": ["0F0"])")),
      Lines{"x.json: /schedules/0/actions: expected no such key, since no region is listed, found a list "
            "of 1"});
}

TEST(ParseExperiment, NamesTheTextInMessages) {
  EXPECT_EQ(complaints([] { parse_experiment("{", "job.csv", {}); }).size(), 1u);
  const std::string text = experiment("", "");
  EXPECT_EQ(complaints([&] {
              parse_experiment(text, "job.csv", {{"/pipeline/ranks", "0"}});
            }),
            Lines{"job.csv: /pipeline/ranks: expected a whole number from 1 to 1000000, found 0"});
}

}  // namespace
}  // namespace spillway
