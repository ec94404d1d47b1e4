#include "execute/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "execute/losses.h"
#include "execute/played_trace.h"
#include "support/schema_check.h"
#include "tests/execute/execute_programs.h"

namespace spillway::testing {
namespace {

// A rank that computes for 2 s and passes a barrier. It computes 0.5 s too long, and begins each action 0.1 s
// late; the barrier takes 0.25 s too long.
Program one_rank() {
  Program program = {};
  program.experiment = "e", program.schedule = "s";
  program.ranks = 1, program.microbatches = 1, program.replicas = 1;
  program.makespan = Seconds(2);
  program.stages.push_back({"llm", RankId(0), 0, 1, true});
  program.programs.push_back(
      {ReplicaId(0),
       RankId(0),
       0,
       {ComputeAction{ActionPass::Forward, {StageId(0), MicrobatchId(0), {}}, {}, {}, Seconds(2)},
        BarrierAction{}}});
  return program;
}

PlayedStep late_step() {
  return {Seconds(2.95),
          {{{Seconds(0.1), Seconds(2.6), Seconds(2.1), Seconds(2.6)},
            {Seconds(2.7), Seconds(2.95), Seconds(2.7), Seconds(2.95)}}}};
}

TEST(Losses, AreByKind) {
  const RankLosses lost = losses(one_rank(), late_step())[0];
  EXPECT_NEAR(lost.computing.value(), 0.5, 1e-12);
  EXPECT_NEAR(lost.groups.value(), 0.25, 1e-12);
  EXPECT_NEAR(lost.between.value(), 0.2, 1e-12);
  EXPECT_EQ(lost.messages, Seconds());
  EXPECT_NEAR(lost.total().value(), 0.95, 1e-12);
}

TEST(Answers, HaveTheMedianStepBesideThePrediction) {
  PlayedStep exact = late_step(), long_one = late_step();
  exact.length = Seconds(2), long_one.length = Seconds(4);
  std::ostringstream out;
  write_execution(out, one_rank(), {1, {long_one, exact, late_step()}});
  EXPECT_EQ(out.str(),
            "s of e: 1 replica, 1 rank, 1 microbatch, times x 1\n"
            "  predicted step  2.000 s\n"
            "  measured step   2.950 s (+47.50 %), the median of 3 steps from 2.000 s to 4.000 s\n"
            "longer than predicted, by rank, as sums over its actions:\n"
            "  replica:rank  computing  messages    groups  between actions\n"
            "  0:0            500.0 ms       0 s  250.0 ms         200.0 ms\n");
}

TEST(Answers, AreWhatTheSchemaSays) {
  static const SchemaCheck schema("execution");
  const auto document = nlohmann::json::parse(execution_json(one_rank(), {1, {late_step()}}));
  EXPECT_EQ(schema.complaints(document), "");
  EXPECT_NEAR(document["difference"].get<double>(), 0.475, 1e-9);
}

TEST(Answers, SayThatExchangesMovedNothing) {
  Program program = one_rank();
  program.programs[0].actions[1] = ReduceAction{0, StageId(0), std::nullopt, Seconds()};
  std::ostringstream out;
  write_execution(out, program, {1, {late_step()}});
  EXPECT_NE(out.str().find("does not know the bytes of 1 exchange of groups"), std::string::npos)
      << out.str();
}

// A program numbers the second chunks of a V by rank, a trace from the input to the loss.
TEST(TraceStages, CountFromTheInput) {
  EXPECT_EQ(trace_stages(lowered("zb-v", 2, 4)), (std::vector<std::uint16_t>{0, 1, 3, 2}));
  EXPECT_EQ(trace_stages(lowered("1f1b,1f1b", 2, 4)), (std::vector<std::uint16_t>{0, 1, 2, 3}));
}

TEST(PlayedTraces, HaveFusedPassesTwice) {
  Program program = one_rank();
  std::get<ComputeAction>(program.programs[0].actions[0]).with = {StageId(0), MicrobatchId(3), {}};
  const Trace trace = played_trace(program, {1, {late_step()}});
  EXPECT_EQ(trace.schedule, "s");
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].kind, TraceKind::Forward);
  EXPECT_EQ(trace.events[1].kind, TraceKind::Backward);
  EXPECT_EQ(trace.events[1].microbatch, 3u);
  EXPECT_EQ(trace.events[0].start, trace.events[1].start);
  EXPECT_NEAR(trace.events[0].duration.value(), 2.5, 1e-12);
}

}  // namespace
}  // namespace spillway::testing
