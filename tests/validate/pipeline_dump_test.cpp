// Primus's dumps of a pipeline: made-up files and a measured run.
#include <filesystem>

#include "support/measured_data.h"
#include "support/temporary_folder.h"
#include "traces/formats/read_trace.h"
#include "traces/pipeline/measured_job.h"
#include "traces/trace_files.h"
#include "validate/validation.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

class PipelineDump : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { temporary_.file(name, text); }

  std::string refusal() const {
    try {
      read_trace(folder_.string());
    } catch (const InputError& error) {
      std::string text = error.what();
      for (std::size_t at; (at = text.find(folder_.string())) != std::string::npos;)
        text.erase(at, folder_.string().size() + 1);
      return text;
    }
    return "";
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

// Two ranks run one microbatch; the second iteration has separate weight-gradient passes.
const char* const kRank0 = R"({
  "1": { "total": 20.0, "memory": 4.0, "fwd_start": [0.0], "fwd_end": [2.0], "bwd_start": [9.0], "bwd_end": [13.0] },
  "2": { "total": 15.0, "memory": 4.0, "fwd_start": [1.0], "fwd_end": [3.0], "bwd_start": [8.0], "bwd_end": [10.0],
         "wgrad_start": [10.0], "wgrad_end": [11.0] } })";
const char* const kRank1 = R"({
  "1": { "total": 19.0, "memory": 3.0, "fwd_start": [3.0], "fwd_end": [5.0], "bwd_start": [5.0], "bwd_end": [8.0] },
  "2": { "total": 15.0, "memory": 3.0, "fwd_start": [4.0], "fwd_end": [6.0], "bwd_start": [6.0], "bwd_end": [7.5],
         "wgrad_start": [7.5], "wgrad_end": [8.5] } })";

// The second iteration begins at 20 ms, where the first one ends on the slowest rank.
TEST_F(PipelineDump, CallsBecomePasses) {
  write("pp_rank_0.json", kRank0);
  write("pp_rank_1.json", kRank1);
  write("config.json", R"({ "pp_size": 2, "vp_size": 1 })");
  const Trace trace = read_trace(folder_.string());
  EXPECT_EQ(trace.format, "primus");
  EXPECT_EQ(trace.steps, (Texts{"1", "2"}));
  EXPECT_EQ(texts(trace.events),
            (Texts{"forward r0 s0 m0 0+2000", "backward r0 s0 m0 9000+4000", "forward r1 s1 m0 3000+2000",
                   "backward r1 s1 m0 5000+3000", "forward r0 s0 m0 21000+2000",
                   "backward-input r0 s0 m0 28000+2000", "backward-weight r0 s0 m0 30000+1000",
                   "forward r1 s1 m0 24000+2000", "backward-input r1 s1 m0 26000+1500",
                   "backward-weight r1 s1 m0 27500+1000"}));
}

TEST_F(PipelineDump, WhatCannotBeReadIsSaid) {
  write("pp_rank_1.json", kRank1);
  EXPECT_EQ(refusal().substr(refusal().find("expected")),
            "expected a file of every rank of the pipeline, found none of rank 0");
  write("pp_rank_0.json", kRank0);
  write("config.json", R"({ "pp_size": 2, "vp_size": 2 })");
  EXPECT_EQ(refusal(), "pp_rank_0.json: /1/fwd_start: expected calls of 2 chunks, each as often, found 1");
  write("config.json", "{}");
  write("pp_rank_0.json", R"({ "1": { "fwd_start": [0.0, 1.0], "fwd_end": [2.0] } })");
  EXPECT_EQ(refusal(), "pp_rank_0.json: /1/fwd_end: expected 2 times, as many as of fwd_start, found 1");
  write("pp_rank_0.json", R"({ "1": { "fwd_start": [3.0], "fwd_end": [2.0] } })");
  EXPECT_EQ(refusal(),
            "pp_rank_0.json: /1/fwd_end/0: expected a time that is not before its start, 3.000000, found "
            "2.000000");
  write("pp_rank_0.json", R"({ "3": { "fwd_start": [0.0], "fwd_end": [2.0] } })");
  EXPECT_EQ(refusal(), "pp_rank_1.json: /3: expected the iterations of pp_rank_0.json, found nothing");
}

// 2 ranks with 2 chunks each run 3 microbatches: chunk 0 of microbatches 0 and 1, chunk 1 of both, then both
// chunks of microbatch 2.
TEST_F(PipelineDump, ChunksAreInMegatronsOrder) {
  const auto six = [](int first) {
    std::string list;
    for (int i = 0; i < 6; ++i) list += (i ? ", " : "") + std::to_string(first + 2 * i) + ".0";
    return '[' + list + ']';
  };
  const std::string calls = "{ \"1\": { \"fwd_start\": " + six(0) + ", \"fwd_end\": " + six(1) +
                            ", \"bwd_start\": " + six(20) + ", \"bwd_end\": " + six(21) + " } }";
  write("pp_rank_0.json", calls);
  write("pp_rank_1.json", calls);
  write("config.json", R"({ "pp_size": 2, "vp_size": 2 })");
  const Trace trace = read_trace(folder_.string());
  Texts of_rank_1;
  for (const TraceEvent& event : trace.events)
    if (event.rank == 1) of_rank_1.push_back(text(event).substr(0, text(event).rfind(' ')));
  EXPECT_EQ(of_rank_1,
            (Texts{"forward r1 s1 m0", "forward r1 s1 m1", "forward r1 s3 m0", "forward r1 s3 m1",
                   "forward r1 s1 m2", "forward r1 s3 m2", "backward r1 s3 m0", "backward r1 s3 m1",
                   "backward r1 s1 m0", "backward r1 s1 m1", "backward r1 s3 m2", "backward r1 s1 m2"}));
  EXPECT_EQ(texts(trace.notes).back(),
            "guessed: 2 chunks on each rank, with their calls in the order of Megatron's interleaved 1F1B");
}

TEST_F(PipelineDump, OneRanksFileIsNotEnough) {
  write("pp_rank_0.json", kRank0);
  const std::string path = (folder_ / "pp_rank_0.json").string();
  const Violation alone = violation_of([&] { read_trace(path); });
  EXPECT_EQ(alone.expected, "the folder with pp_rank_N.json of every rank of the pipeline");
  EXPECT_EQ(alone.found, "one rank's dump, with no other's beside it");
  write("pp_rank_1.json", kRank1);
  EXPECT_EQ(violation_of([&] { read_trace(path); }).found, "one rank's dump, whose folder has 2");
}

// Eight MI300X ran 20 iterations of 16 microbatches; the first two iterations are warm-up.
TEST(PrimusRun, IsA1F1BOfEightRanks) {
  const auto folder = measured_data("primus/pp8");
  if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const MeasuredJob job = measured_job(*folder);
  EXPECT_EQ(job.schedule.schedule, "1f1b");
  const Trace trace = read_trace(*folder);
  const Validation validation = validate_trace(trace, job.pipeline, job.schedule);
  EXPECT_EQ(validation.ranks, 8u);
  EXPECT_EQ(validation.microbatches, 16u);
  EXPECT_EQ(validation.cases.size(), 18u);
  EXPECT_EQ(trace.steps.front(), "3");
  bool named = false;
  for (const std::string& note : texts(trace.notes)) named |= note.find("later: 1 and 2") != note.npos;
  EXPECT_TRUE(named);
  for (const ValidatedStep& one : validation.cases)
    EXPECT_NEAR(one.replayed.value(), one.measured.value(), 0.02 * one.measured.value());
}

}  // namespace
}  // namespace spillway::testing
