#include "traces/samples/operator_csv.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "support/raw_table.h"
#include "traces/written_file.h"

namespace spillway {
namespace {

using testing::WrittenFile;

std::vector<Violation> violations_of(const std::string& text) {
  try {
    read_operator_csv(WrittenFile(text, "refused.csv").path());
  } catch (const InputError& error) {
    return error.violations();
  }
  ADD_FAILURE() << "read: " << text;
  return {};
}

TEST(OperatorCsv, ProductsOfASweep) {
  const Samples samples = read_operator_csv(
      WrittenFile("device,kernel_source,m,n,k,latency_ms\nH100,torch,8,16,32,0.5\n", "gemm.csv").path());
  ASSERT_EQ(samples.operators.gemms.size(), 1u);
  const auto [m, n, k, time] = samples.operators.gemms[0];
  EXPECT_EQ((std::vector{m, n, k, time.value()}), (std::vector{8.0, 16.0, 32.0, 0.5e-3}));
  EXPECT_EQ(samples.format, "aiconfigurator");
  EXPECT_EQ(samples.source, "H100, torch");
  EXPECT_TRUE(samples.notes.empty());
}

TEST(OperatorCsv, EncoderAttentionIsOneWithoutAMaskAndSaysSo) {
  const Samples samples = read_operator_csv(
      WrittenFile("batch_size,isl,num_heads,head_dim,latency_ms\n2,100,16,80,0.25\n", "attention.csv")
          .path());
  ASSERT_EQ(samples.operators.attentions.size(), 1u);
  const MeasuredAttention& row = samples.operators.attentions[0];
  EXPECT_FALSE(row.causal);
  EXPECT_FALSE(row.backward);
  EXPECT_EQ((std::vector{row.batch, row.length, row.heads, row.key_value_heads, row.key_width}),
            (std::vector{2.0, 100.0, 16.0, 16.0, 80.0}));
  ASSERT_EQ(samples.notes.size(), 1u);
  EXPECT_EQ(samples.notes[0].kind, NoteKind::Guessed);
}

TEST(OperatorCsv, ColumnsInAnyOrderAndUnit) {
  const Samples samples =
      read_operator_csv(WrittenFile("# by hand\nk,time_us,n,m\n\n4, 5, 3, 2\n", "simple.csv").path());
  ASSERT_EQ(samples.operators.gemms.size(), 1u);
  EXPECT_EQ(samples.operators.gemms[0].m, 2);
  EXPECT_EQ(samples.operators.gemms[0].k, 4);
  EXPECT_DOUBLE_EQ(samples.operators.gemms[0].time.value(), 5e-6);
}

TEST(OperatorCsv, OperatorTablesOfPlatformsAreReadToo) {
  const Samples samples =
      read_operator_csv(SPILLWAY_SOURCE_DIR "/workloads/measured/b200-training-grouped-gemm.csv");
  EXPECT_GT(samples.operators.grouped_gemms.size(), 10u);
}

TEST(OperatorCsv, ATimeWithoutAUnitIsRefused) {
  const auto violations = violations_of("m,n,k,time\n1,2,3,4\n");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].pointer, "line 1");
  EXPECT_NE(violations[0].expected.find("time_us"), std::string::npos);
}

TEST(OperatorCsv, EveryBrokenRowIsNamed) {
  const auto violations =
      violations_of("m,n,k,time_us\n1,2,3,4\n0,2,3,4\n1,2.5,3,4\n1,2,3,-4\n1,2,3\n1,2,3,nan\n");
  std::vector<std::string> places;
  for (const Violation& violation : violations) places.push_back(violation.pointer);
  EXPECT_EQ(places, (std::vector<std::string>{"line 3", "line 4", "line 5", "line 6", "line 7"}));
}

TEST(OperatorCsv, OfMoreThanTwentyBrokenRowsTheRestAreCounted) {
  std::string text = "m,n,k,time_us\n";
  for (int i = 0; i < 50; ++i) text += "1,2,3,x\n";
  const auto violations = violations_of(text);
  ASSERT_EQ(violations.size(), 21u);
  EXPECT_EQ(violations.back().found, "30 more");
}

TEST(OperatorCsv, NoRowsAndNothingAtAllAreRefused) {
  EXPECT_EQ(violations_of("m,n,k,time_us\n")[0].expected, "at least one row below the header");
  EXPECT_EQ(violations_of("")[0].found, "the end of the file");
}

TEST(OperatorCsv, RowsOfAnotherDeviceAreCounted) {
  const Samples samples = read_operator_csv(
      WrittenFile("device,m,n,k,time_us\nA,1,1,1,1\nB,1,1,1,1\nB,2,1,1,1\n", "two.csv").path());
  ASSERT_EQ(samples.notes.size(), 1u);
  EXPECT_EQ(to_string(samples.notes[0]), "differs: 2 rows of another device or kernel than A");
}

TEST(OperatorCsv, TheRealSweepsAreReadWhole) {
  const auto folder = testing::raw_folder();
  if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  EXPECT_EQ(read_operator_csv(*folder + "h100_sxm__gemm_bf16.csv.gz").operators.gemms.size(), 35700u);
  EXPECT_EQ(read_operator_csv(*folder + "h200_sxm__encoder_attention.csv.gz").operators.attentions.size(),
            7679u);
}

}  // namespace
}  // namespace spillway
