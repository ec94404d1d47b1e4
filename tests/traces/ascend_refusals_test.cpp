// The folders that read_ascend_folder refuses, and the place that each message names.
#include "ascend_files.h"
#include "traces/formats/trace_format_list.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using namespace testing;

using AscendRefusals = AscendFiles;

TEST_F(AscendRefusals, AFolderOfSomethingElseIsRefused) {
  EXPECT_FALSE(kAscendFolder.is_of(root_.string()));
  EXPECT_FALSE(kAscendFolder.is_of((root_ / "none").string()));
  EXPECT_EQ(refused().size(), 1u);
}

TEST_F(AscendRefusals, ARankWithTwoFoldersIsRefusedWithBothNamed) {
  write_rank(0, kFirstStage);
  fs::copy(root_ / "rank0_ascend_pt", root_ / "copy_ascend_pt", fs::copy_options::recursive);
  const auto violations = refused();
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_NE((violations[0].file + violations[0].found).find("copy_ascend_pt"), std::string::npos);
  EXPECT_NE((violations[0].file + violations[0].found).find("rank0_ascend_pt"), std::string::npos);
}

TEST_F(AscendRefusals, NoEventAtAllIsRefused) {
  write_rank(0, kHeader);
  EXPECT_EQ(refused().size(), 1u);
  write_rank(0, kHeader);
  write_rank(1, kLastStage);
  EXPECT_TRUE(notes(trace(), NoteKind::Missing, "any kernel in "));
}

TEST_F(AscendRefusals, EveryMissingColumnIsNamed) {
  write_rank(0, "Step Id,Name,Start Time(us)\n");
  const auto violations = refused();
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].expected, "a column \"Duration(us)\"");
  EXPECT_EQ(violations[1].expected, "a column \"Type\"");
}

TEST_F(AscendRefusals, BrokenRowsAreRefusedByLine) {
  write_rank(0, kHeader + row("Mul", "MatMulV3", 0, "1") + row("Mul", "MatMulV3", 3, "soon"));
  ASSERT_EQ(refused().size(), 1u);
  EXPECT_EQ(refused()[0].pointer, "line 3");
  EXPECT_EQ(refused()[0].found, "soon");
  write_rank(0, kHeader + row("Mul", "MatMulV3", 0, "nan"));
  EXPECT_EQ(refused().at(0).found, "nan");
  write_rank(0, kHeader + row("Mul", "MatMulV3", 0, "1") + "1,Mul,Mat");
  EXPECT_EQ(refused().at(0).pointer, "line 3");
  write_rank(0, "\n");
  EXPECT_FALSE(refused().empty());
}

TEST_F(AscendRefusals, BrokenJsonIsRefusedByByteOrPointer) {
  write_rank(0, kFirstStage);
  write(kCommunication, R"({"step1": {"p2p": {"hcom_)");
  EXPECT_EQ(refused().at(0).pointer, "byte 26");
  write(kCommunication, R"({"step1": {"p2p": {"a@1": {"Communication Time Info": {}}}}})");
  EXPECT_EQ(refused().at(0).pointer, "/step1/p2p/a@1/Communication Time Info/Start Timestamp(us)");
  write(
      kCommunication,
      R"json({"step1": {"p2p": {"a@1": {"Communication Time Info": {"Start Timestamp(us)": 1e300}}}}})json");
  EXPECT_EQ(refused().at(0).found, "1e+300");
  write(kCommunication, R"({"step1": 1e3000})");
  EXPECT_EQ(refused().at(0).expected, "numbers that fit");
  write(kCommunication, "[]");
  EXPECT_EQ(refused().at(0).expected, "an object of steps");
  write("rank0_ascend_pt/profiler_metadata.json", R"({"distributed_args": {)");
  EXPECT_EQ(refused().at(0).expected, "JSON");
}

TEST_F(AscendRefusals, ARankThatMetadataDoNotNameIsTakenFromTheNextFileAndHeldAgainstThem) {
  write_rank(0, kFirstStage);
  write("rank0_ascend_pt/profiler_metadata.json", R"({"distributed_args": {"data_parallel_size": 1}})");
  write("rank0_ascend_pt/profiler_info_3.json", "{}");
  EXPECT_EQ(refused().at(0).found, "nothing");
}

TEST_F(AscendRefusals, MetadataThatMakeNoPipelineAreRefused) {
  write_rank(0, kFirstStage, R"(, "virtual_pipeline_model_parallel_size": 2)");
  EXPECT_EQ(refused().at(0).expected, "one stage on each rank");
  write_rank(0, kFirstStage, R"(, "tensor_model_parallel_size": 0)");
  EXPECT_EQ(refused().at(0).pointer, "/distributed_args/tensor_model_parallel_size");
  fs::remove_all(root_ / "rank0_ascend_pt");
  write_rank(2, kFirstStage);
  EXPECT_EQ(refused().at(0).expected, "a rank below 2");
}

}  // namespace
}  // namespace spillway
