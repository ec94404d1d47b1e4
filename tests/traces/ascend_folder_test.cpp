#include "ascend_files.h"
#include "traces/ascend/ascend_kernels.h"
#include "traces/formats/trace_format_list.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using namespace testing;

using AscendFolder = AscendFiles;

TEST_F(AscendFolder, TwoStagesAndTwoMicrobatches) {
  write_rank(0, kFirstStage);
  write_rank(1, kLastStage);
  const Trace both = trace();
  EXPECT_EQ(count(both, TraceKind::Forward), 4u);
  EXPECT_EQ(count(both, TraceKind::Backward), 4u);
  for (const TraceKind kind : {TraceKind::SendForward, TraceKind::ReceiveForward, TraceKind::SendBackward,
                               TraceKind::ReceiveBackward})
    EXPECT_EQ(count(both, kind), 2u) << to_string(kind);
  EXPECT_EQ(count(both, TraceKind::Kernel), 9u);
  EXPECT_EQ(count(both, TraceKind::Collective), 1u);
}

TEST_F(AscendFolder, TimesAreExactToTheNanosecond) {
  write_rank(0, kFirstStage);
  const Trace alone = trace();
  const auto second = std::find_if(alone.events.begin(), alone.events.end(), [](const TraceEvent& event) {
    return event.kind == TraceKind::Forward && event.microbatch == 1;
  });
  ASSERT_NE(second, alone.events.end());
  EXPECT_NEAR(second->start.value(), 12e-6, 1e-15);
  EXPECT_NEAR(second->duration.value(), 8.125e-6, 1e-15);
  EXPECT_EQ(nanoseconds_from_microseconds("1764246877073569.640\t"), 1764246877073569640);
  EXPECT_EQ(nanoseconds_from_microseconds("12"), 12000);
  EXPECT_EQ(nanoseconds_from_microseconds("1.x"), std::nullopt);
  EXPECT_EQ(nanoseconds_from_microseconds(""), std::nullopt);
  EXPECT_EQ(nanoseconds_from_microseconds("9223372036854775807"), std::nullopt);
}

TEST_F(AscendFolder, TheOrderOfRowsSaysNothing) {
  write_rank(0, kFirstStage);
  const Trace ordered = trace();
  const std::size_t half = kFirstStage.find("1,MulGrad");
  const std::size_t rows = std::string(kHeader).size();
  write_rank(0, kHeader + kFirstStage.substr(half) + kFirstStage.substr(rows, half - rows));
  const Trace shuffled = trace();
  ASSERT_EQ(shuffled.events.size(), ordered.events.size());
  for (std::size_t i = 0; i < ordered.events.size(); ++i) {
    EXPECT_EQ(shuffled.events[i].start, ordered.events[i].start);
    EXPECT_EQ(shuffled.events[i].kind, ordered.events[i].kind);
  }
}

TEST_F(AscendFolder, OneRankAloneIsReadAndTheOtherMissed) {
  write_rank(1, kLastStage);
  EXPECT_TRUE(notes(trace(), NoteKind::Missing, "of these devices"));
  EXPECT_EQ(count(trace(), TraceKind::Forward), 2u);
  EXPECT_EQ(kAscendFolder.read((root_ / "rank1_ascend_pt").string()).events,
            kAscendFolder.read((root_ / "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/").string()).events);
}

TEST_F(AscendFolder, StepsComeInTheOrderOfTheirNumbers) {
  write_rank(0, kHeader + row("Mul", "MatMulV3", 90, "1", "10") + row("Mul", "MatMulV3", 0, "1", "9"));
  EXPECT_EQ(trace().steps, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(trace().events.front().step, 0u);
}

TEST_F(AscendFolder, WithoutMetadataThereAreKernelsAndNoPasses) {
  write("x_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kFirstStage);
  EXPECT_EQ(count(trace(), TraceKind::Forward), 0u);
  EXPECT_EQ(count(trace(), TraceKind::Kernel), 4u);
  EXPECT_TRUE(notes(trace(), NoteKind::Missing, "profiler_metadata.json"));
}

TEST_F(AscendFolder, NegativeDurationsAndDuplicatesAreDroppedAndCounted) {
  const std::string mul = row("Mul", "MatMulV3", 0, "1");
  write_rank(0, kHeader + mul + mul + row("Mul", "MatMulV3", 5, "-2"));
  const Trace left = trace();
  EXPECT_EQ(count(left, TraceKind::Kernel), 1u);
  EXPECT_TRUE(notes(left, NoteKind::Dropped, "kernels of a negative duration in "));
  EXPECT_TRUE(notes(left, NoteKind::Dropped, "events that the file holds twice"));
}

TEST_F(AscendFolder, UnequalNumbersOfPassesAreSaid) {
  write_rank(0, kFirstStage.substr(0, kFirstStage.rfind("1,MulGrad")));
  EXPECT_TRUE(notes(trace(), NoteKind::Differs, "steps of a device with unequal numbers of forwards"));
}

TEST_F(AscendFolder, ADeviceWithoutKernelsHasItsCollectives) {
  write_rank(0, "");
  write(kCommunication, R"({"step1": {"p2p": {"hcom_batchSendRecv__1_1_1@7": )" + operation("{}") +
                            R"(}, "collective": {"hcom_allReduce__2_1_1@8": )" + operation("{}") +
                            R"(, "Total Op Info": {}}}})");
  const Trace alone = trace();
  ASSERT_EQ(alone.events.size(), 1u);
  EXPECT_EQ(alone.events[0].kind, TraceKind::Collective);
  EXPECT_EQ(alone.events[0].duration, Seconds(0.003));
  EXPECT_TRUE(notes(alone, NoteKind::Missing, "kernel_details.csv (rank 0)"));
  EXPECT_TRUE(notes(alone, NoteKind::Dropped, "messages of devices without kernels"));
}

// The first message of a first stage only sends, so it should have received no bytes; the second receives
// some.
TEST_F(AscendFolder, MessagesThatDisagreeWithTheirBytesAreSaid) {
  write_rank(0, kFirstStage);
  const std::string bytes = R"({"HCCS": {"Size Distribution": {"8": [1, 0.5]}}})";
  write(kCommunication, R"({"step1": {"p2p": {"hcom_batchSendRecv__1_1_1@7": )" + operation(bytes) +
                            R"(, "hcom_batchSendRecv__1_2_1@7": )" + operation(bytes) + "}}}");
  EXPECT_TRUE(notes(trace(), NoteKind::Differs, "messages whose inferred direction"));
  EXPECT_TRUE(notes(trace(), NoteKind::Read, "messages whose inferred direction"));
}

}  // namespace
}  // namespace spillway
