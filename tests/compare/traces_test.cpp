// Measured traces, and a run against its own trace.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "compared_documents.h"
#include "report/trace/chrome_trace.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::adds_up;
using testing::block_for_each_rank;
using testing::Document;
using testing::sum_of;

const std::string kTraces = testing::kSource + "/workloads/published/traces/";

std::string trace_file(const std::string& name, const Document& experiment) {
  std::ostringstream text;
  write_chrome_trace(text, testing::evaluated(experiment).schedules.front());
  return written(name, text.str());
}

Document with_a_slow_rank() {
  Document slow = block_for_each_rank();
  slow["model"]["blocks"][2]["profile"]["forward_ms"] = 16;
  return slow;
}

TEST(CompareTraces, WithThemselvesNothingMoved) {
  for (const std::string name : {"straggler-st.csv", "megatronapp.csv", "ascend-910b-pp2.csv"})
    EXPECT_TRUE(nothing_moved(compare_files(kTraces + name, kTraces + name))) << name;
}

TEST(CompareTraces, OfTwoJobsAddUp) {
  const Comparison comparison = compare_files(kTraces + "straggler-st.csv", kTraces + "straggler-ar.csv");
  const ScheduleComparison& only = comparison.schedules.at(0);
  EXPECT_EQ(only.decomposition, Decomposition::Passes);
  EXPECT_TRUE(adds_up(sum_of(only.causes), only.makespan));
  EXPECT_FALSE(only.makespan.ci95);
  EXPECT_EQ(testing::pointers_of(comparison), "/layout/microbatches /layout/replicas ");
}

TEST(CompareTraces, ASlowRankIsNamed) {
  const Comparison comparison = compare_files(trace_file("a.trace.json", block_for_each_rank()),
                                              trace_file("b.trace.json", with_a_slow_rank()));
  const ScheduleComparison& only = comparison.schedules.at(0);
  EXPECT_EQ(only.moves.at(0).rank, RankId(2));
  EXPECT_EQ(only.moves.at(0).what, "forward");
  EXPECT_EQ(only.first_divergence->a->rank, RankId(2));
  EXPECT_TRUE(adds_up(sum_of(only.causes), only.makespan));
}

// A trace states microseconds to three decimals.
TEST(CompareTraces, ARunIsItsOwnTrace) {
  const std::string trace = trace_file("a.trace.json", block_for_each_rank()),
                    experiment = written("a.json", block_for_each_rank().dump());
  const Comparison comparison = compare_files(trace, experiment);
  const ScheduleComparison& only = comparison.schedules.at(0);
  EXPECT_EQ(only.other_name, "only");
  EXPECT_NEAR(only.makespan.a, only.makespan.b, 1e-8);
  EXPECT_TRUE(testing::pointers_of(comparison).empty());
  for (const Cause& cause : only.causes) EXPECT_NEAR(cause.difference.value(), 0, 1e-7) << cause.name;
}

// Reading the trace of a run with a transposed encoder drops its encodes.
TEST(CompareTraces, WhatATraceHasLostIsSaid) {
  std::ifstream in(testing::kSource + "/workloads/experiments/small.json");
  const Document small = Document::parse(in);
  const Comparison comparison =
      compare_files(written("small.json", small.dump()), trace_file("b.trace.json", small));
  const auto is_loss = [](const std::string& note) {
    return note.starts_with("B, dropped: ") &&
           note.find("events of regions that are not pipelined") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(comparison.notes, is_loss), 1);
}

TEST(CompareTraces, ASlowRankOfARunIsSeenBesideItsExperiment) {
  const Comparison comparison = compare_files(written("a.json", block_for_each_rank().dump()),
                                              trace_file("b.trace.json", with_a_slow_rank()));
  const ScheduleComparison& only = comparison.schedules.at(0);
  EXPECT_EQ(only.moves.at(0).rank, RankId(2));
  EXPECT_EQ(only.moves.at(0).what, "forward");
  EXPECT_TRUE(only.aligned);
  EXPECT_EQ(only.first_divergence->b->rank, RankId(2));
  EXPECT_TRUE(adds_up(sum_of(only.causes), only.makespan));
}

TEST(CompareTraces, AReportIsHeldAgainstOneByItsRanks) {
  const Comparison comparison = compare_files(testing::report_file("a.json", block_for_each_rank()),
                                              trace_file("b.trace.json", block_for_each_rank()));
  const ScheduleComparison& only = comparison.schedules.at(0);
  EXPECT_EQ(only.decomposition, Decomposition::Ranks);
  EXPECT_FALSE(only.aligned);
  EXPECT_TRUE(adds_up(sum_of(only.causes), only.makespan));
}

}  // namespace
}  // namespace spillway
