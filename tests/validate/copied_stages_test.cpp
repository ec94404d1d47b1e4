// Traces whose stages are copies, in the form of spillway/trace/1.
#include "validate/copied_stages.h"

#include <gtest/gtest.h>

#include "support/property.h"
#include "support/temporary_folder.h"
#include "traces/formats/trace_csv.h"
#include "traces/simulated_trace.h"
#include "validate/validation.h"

namespace spillway {
namespace {

Trace trace_of(const std::string& rows) {
  const testing::TemporaryFolder folder;
  return read_trace_csv(folder.file("copies.csv",
                                    "# spillway/trace/1 origin_s=0 format=spillway-execute\n"
                                    "step,replica,rank,action,start_us,duration_us,name\n" +
                                        rows));
}

// Two ranks encode a microbatch each (stages 0 and 1, frozen), and pass both through a pipeline of stages 2
// and 3 in the order of GPipe. Messages take 1 ms. Rank 0 encodes for 10 ms, rank 1 for 20.
const char* const kTransposed =
    "0,0,0,0F0,0,10000,\n0,0,1,1F1,0,20000,\n"
    "0,0,1,1SEND_F1,20000,1000,\n0,0,0,2RECV_F1,20000,1000,\n"
    "0,0,0,2F0,10000,5000,\n0,0,0,2F1,21000,5000,\n"
    "0,0,0,2SEND_F0,15000,1000,\n0,0,1,3RECV_F0,15000,1000,\n"
    "0,0,0,2SEND_F1,26000,1000,\n0,0,1,3RECV_F1,26000,1000,\n"
    "0,0,1,3F0,20000,5000,\n0,0,1,3F1,27000,5000,\n"
    "0,0,1,3B0,32000,5000,\n0,0,1,3B1,37000,5000,\n"
    "0,0,1,3SEND_B0,37000,1000,\n0,0,0,2RECV_B0,37000,1000,\n"
    "0,0,1,3SEND_B1,42000,1000,\n0,0,0,2RECV_B1,42000,1000,\n"
    "0,0,0,2B0,38000,5000,\n0,0,0,2B1,43000,5000,\n";

// The one step of such a trace takes 48 ms, measured and replayed.
Validation replayed_exactly(const std::string& rows) {
  const Trace trace = trace_of(rows);
  EXPECT_TRUE(has_copied_stages(trace));
  Validation validation = validate_copies(trace);
  EXPECT_EQ(validation.match.schedule, "transpose,gpipe");
  EXPECT_EQ(validation.cases.size(), 1u);
  for (const auto& step : validation.cases) {
    EXPECT_NEAR(step.measured.value(), 0.048, 1e-9);
    EXPECT_NEAR(step.replayed.value(), 0.048, 1e-9);
  }
  return validation;
}

TEST(CopiedStages, OfATransposedRegionAreReplayed) {
  const Validation validation = replayed_exactly(kTransposed);
  EXPECT_EQ(validation.microbatches, 2u);
  EXPECT_NEAR(validation.typical_transfer.value(), 0.001, 1e-9);
}

// Without the encoder of rank 1, microbatch 1 would enter the pipeline 6 ms earlier.
TEST(CopiedStages, DelayThePipeline) {
  std::string shorter = kTransposed;
  shorter.replace(shorter.find("0,20000,"), 8, "6000,14000,");
  const Validation validation = validate_copies(trace_of(shorter));
  EXPECT_NEAR(validation.cases[0].measured.value(), 0.048, 1e-9);
  EXPECT_NEAR(validation.cases[0].replayed.value(), 0.042, 1e-9);
}

// The output of another microbatch, which rank 0 gathers before it begins.
TEST(CopiedStages, MayWaitForMessagesOfOthers) {
  std::string gathered = kTransposed;
  gathered.replace(gathered.find("2F0,10000"), 9, "2F0,21000");
  gathered.replace(gathered.find("2F1,21000"), 9, "2F1,26000");
  gathered.replace(gathered.find("2SEND_F0,15000"), 14, "2SEND_F0,26000");
  const CopiedStages copied = copied_stages(trace_of(gathered));
  ASSERT_EQ(copied.notes.size(), 1u);
  EXPECT_EQ(to_string(copied.notes[0]),
            "guessed: 1 pass beginning when a message for another pass arrives, as if waiting for it");
}

// The send is the shorter end, and its rank notices late that it is over: after the pass that waited began.
TEST(CopiedStages, HaveMessagesThatArriveWhenTheirFirstEndIsOver) {
  std::string noticed_late = kTransposed;
  noticed_late.replace(noticed_late.find("2F0,10000"), 9, "2F0,21000");
  noticed_late.replace(noticed_late.find("2F1,21000"), 9, "2F1,26000");
  noticed_late.replace(noticed_late.find("2SEND_F0,15000"), 14, "2SEND_F0,26000");
  noticed_late.replace(noticed_late.find("3RECV_F0,15000"), 14, "3RECV_F0,26000");
  noticed_late.replace(noticed_late.find("3F0,20000,5000"), 14, "3F0,27000,2500");
  noticed_late.replace(noticed_late.find("3F1,27000,5000"), 14, "3F1,29500,2500");
  noticed_late.replace(noticed_late.find("1SEND_F1,20000,1000"), 19, "1SEND_F1,20000,1400");
  noticed_late.replace(noticed_late.find("2RECV_F1,20000,1000"), 19, "2RECV_F1,10000,11000");
  const CopiedStages copied = copied_stages(trace_of(noticed_late));
  ASSERT_EQ(copied.notes.size(), 1u);
  EXPECT_EQ(copied.notes[0].count, 1u);
  EXPECT_NE(to_string(copied.notes[0]).find("as if waiting for it"), std::string::npos);
}

// Rank 0 takes the gradient of microbatch 0 late, while rank 1 runs backward 1: it left before that.
TEST(CopiedStages, LeaveWhenTheirSenderBeganThem) {
  std::string late = kTransposed;
  late.replace(late.find("3SEND_B0,37000,1000"), 19, "3SEND_B0,37000,2000");
  late.replace(late.find("2RECV_B0,37000,1000"), 19, "2RECV_B0,38900,100");
  late.replace(late.find("2B0,38000,5000"), 14, "2B0,39000,4000");
  replayed_exactly(late);
}

// Rank 1 encodes both microbatches (stage 1). Stage 0, its copy on rank 0, computes nothing.
TEST(CopiedStages, OfARegionThatOneRankComputesAreReplayed) {
  std::string alone = kTransposed;
  alone.replace(alone.find("0,0,0,0F0,0,10000,"), 18,
                "0,0,1,1F0,0,9000,\n0,0,1,1SEND_F0,9000,1000,\n0,0,0,2RECV_F0,9000,1000,");
  alone.replace(alone.find("1F1,0,20000"), 11, "1F1,9000,11000");
  replayed_exactly(alone);
}

// The only rank of the first stages has all of them, or another rank is not in the trace.
TEST(CopiedStages, AreNotThoseOfATraceThatLacksARank) {
  EXPECT_FALSE(has_copied_stages(trace_of("0,0,1,1F0,0,1,\n0,0,1,3F0,1,1,\n")));
  EXPECT_FALSE(has_copied_stages(trace_of("0,0,0,0F0,0,1,\n0,0,1,1F0,1,1,\n0,0,0,2F0,2,1,\n")));
}

TEST(CopiedStages, AreNotThoseOfAPipelineThatLacksAPass) {
  EXPECT_FALSE(has_copied_stages(trace_of("0,0,0,0F0,0,1,\n0,0,0,0F1,1,1,\n0,0,1,1F0,1,1,\n")));
  EXPECT_FALSE(has_copied_stages(trace_of("0,0,0,0F0,0,1,\n0,0,1,1F0,1,1,\n")));
}

// A frozen encoder in a pipelined region of its own: stages 0 and 1 run no backward.
RC_GTEST_PROP(FrozenStages, AreReplayedExactly, ()) {
  testing::TraceOptions options;
  options.ranks = *rc::gen::inRange(2U, 6U);
  options.microbatches = options.ranks * *rc::gen::inRange(1U, 4U);
  options.replicas = *rc::gen::inRange(1U, 3U);
  const auto regions = *rc::gen::inRange(2U, 4U);
  options.frozen = *rc::gen::inRange(1U, regions);
  const std::string word = *rc::gen::element<std::string>("1f1b", "gpipe", "1f1b-overlap");
  options.schedule = word;
  for (std::uint32_t i = 1; i < regions; ++i) options.schedule += ',' + word;
  options.point_to_point = *rc::gen::element(PointToPoint::Blocking, PointToPoint::Overlapped);
  options.seed = *rc::gen::inRange(0U, 1000U);
  RC_LOG() << options.schedule << ", " << options.frozen << " frozen, " << options.ranks << " ranks, "
           << options.microbatches << " microbatches\n";
  const Trace trace = testing::simulated(options);
  RC_ASSERT(frozen_stages(trace) == options.frozen * options.ranks);
  const Validation validation = validate_copies(trace);
  RC_ASSERT(validation.cases.size() == options.replicas);
  for (const auto& step : validation.cases) RC_ASSERT(std::abs(step.replayed / step.measured - 1) < 1e-9);
  RC_LOG() << validation.match.schedule << '\n';
  const auto known = testing::schedule(validation.match.schedule);
  RC_ASSERT(known.skeletons.size() == regions);
}

TEST(FrozenStages, AreNotThoseOfARankWithoutBackwards) {
  EXPECT_EQ(frozen_stages(trace_of("0,0,0,0F0,0,1,\n0,0,1,1F0,1,1,\n0,0,1,1B0,2,1,\n")), 0u);
  EXPECT_EQ(frozen_stages(trace_of("0,0,0,0F0,0,1,\n0,0,1,1F0,1,1,\n")), 0u);
  EXPECT_EQ(frozen_stages(trace_of("0,0,0,0F0,0,1,\n0,0,0,1F0,1,1,\n0,0,0,1B0,2,1,\n")), 1u);
  EXPECT_EQ(frozen_stages(trace_of("0,0,0,0F0,0,1,\n0,0,0,1F0,1,1,\n0,0,0,0B0,2,1,\n")), 0u);
}

TEST(FrozenStages, AreNoted) {
  const Trace trace =
      testing::simulated({.schedule = "1f1b,1f1b", .ranks = 2, .microbatches = 4, .frozen = 1});
  const Validation validation = validate_copies(trace);
  EXPECT_EQ(validation.match.schedule, "1f1b,1f1b");
  ASSERT_EQ(validation.notes.size(), 1u);
  EXPECT_EQ(to_string(validation.notes[0]),
            "guessed: 2 first stages without any backward, as if their layers were frozen");
}

TEST(CopiedStages, InAnotherOrderThanTheFirstStepAreDropped) {
  const std::string second = [] {
    std::string text = kTransposed;
    for (std::size_t at = 0; (at = text.find("0,0,", at)) != text.npos; at = text.find('\n', at))
      text.replace(at, 1, "1");
    return text;
  }();
  std::string swapped = second;
  swapped.replace(swapped.find("3F0,20000"), 9, "3F0,27000");
  swapped.replace(swapped.rfind("3F1,27000"), 9, "3F1,20000");
  EXPECT_EQ(copied_stages(trace_of(kTransposed + second)).steps.size(), 2u);
  EXPECT_EQ(copied_stages(trace_of(kTransposed + swapped)).steps.size(), 1u);
}

}  // namespace
}  // namespace spillway
