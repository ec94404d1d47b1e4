// Reading operator tables: their rows, the messages of bad ones, and the shipped tables against the whole
// tables that they were taken from.
#include "input/platform/operator_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "cost/operators/operator_times.h"
#include "support/raw_table.h"
#include "written.h"

namespace spillway {
namespace {

OperatorTables tables_of(const std::string& text) {
  OperatorTables tables;
  read_operator_table(written("t.csv", text), tables);
  return tables;
}

std::vector<std::string> wrong(const std::string& text) {
  return complaints([&text] { tables_of(text); });
}

TEST(OperatorTable, IsReadByItsHeader) {
  const OperatorTables gemms =
      tables_of("# from somewhere\nm,n,k,time_us\r\n 64, 128,256 , 2.5\n\n1,2,3,1e3\n");
  ASSERT_EQ(gemms.gemms.size(), 2u);
  EXPECT_EQ(gemms.gemms[0].m, 64);
  EXPECT_EQ(gemms.gemms[0].n, 128);
  EXPECT_EQ(gemms.gemms[0].k, 256);
  EXPECT_EQ(gemms.gemms[0].time, microseconds(2.5));
  EXPECT_EQ(gemms.gemms[1].time, microseconds(1000));

  const OperatorTables grouped = tables_of("groups,rows,n,k,time_us\n8,1024,128,256,2.5\n");
  ASSERT_EQ(grouped.grouped_gemms.size(), 1u);
  EXPECT_EQ(grouped.grouped_gemms[0].groups, 8);
  EXPECT_EQ(grouped.grouped_gemms[0].rows, 1024);

  const OperatorTables attention = tables_of(
      "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us\n"
      "1,0,2,4096,32,8,192,128,70\n");
  ASSERT_EQ(attention.attentions.size(), 1u);
  const MeasuredAttention& row = attention.attentions[0];
  EXPECT_TRUE(row.causal);
  EXPECT_FALSE(row.backward);
  EXPECT_EQ(row.heads, 32);
  EXPECT_EQ(row.key_value_heads, 8);
  EXPECT_EQ(row.key_width, 192);
  EXPECT_EQ(row.value_width, 128);
}

TEST(OperatorTable, HasScans) {
  const OperatorTables tables =
      tables_of("backward,batch,length,heads,key_width,value_width,time_us\n1,4,2048,32,128,64,515\n");
  ASSERT_EQ(tables.scans.size(), 1u);
  const MeasuredScan& row = tables.scans[0];
  EXPECT_TRUE(row.backward);
  EXPECT_EQ(row.batch, 4);
  EXPECT_EQ(row.length, 2048);
  EXPECT_EQ(row.heads, 32);
  EXPECT_EQ(row.key_width, 128);
  EXPECT_EQ(row.value_width, 64);
  EXPECT_EQ(row.time, microseconds(515));
  EXPECT_EQ(wrong("backward,batch,length,heads,key_width,value_width,time_us\n2,4,2048,32,128,64,515\n"),
            Lines{"t.csv: line 2: expected a whole number backward from 0 to 1, found \"2\""});
}

TEST(OperatorTable, AddsToThoseBefore) {
  OperatorTables tables = tables_of("m,n,k,time_us\n1,2,3,4\n");
  read_operator_table(written("t.csv", "m,n,k,time_us\n5,6,7,8\n"), tables);
  EXPECT_EQ(tables.gemms.size(), 2u);
}

TEST(OperatorTable, NeedsAKnownHeaderAndARow) {
  const std::string headers =
      "the header m,n,k,time_us, groups,rows,n,k,time_us, "
      "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us or "
      "backward,batch,length,heads,key_width,value_width,time_us";
  EXPECT_EQ(wrong(""), Lines{"t.csv: line 1: expected " + headers + ", found an empty file"});
  EXPECT_EQ(wrong("# remark\nm,k,n,time_us\n1,1,1,1\n"),
            Lines{"t.csv: line 2: expected " + headers + ", found \"m,k,n,time_us\""});
  EXPECT_EQ(wrong("m,n,k,time_us\n"),
            Lines{"t.csv: line 1: expected at least one row below the header, found none"});
}

TEST(OperatorTable, NamesEveryWrongField) {
  EXPECT_EQ(wrong("m,n,k,time_us\n0,1.5,8,-1\n1,2,3\n1,2,3,nan\n-1,2,3,4\n"),
            (Lines{"t.csv: line 2: expected a whole number m from 1 to 1000000000, found \"0\"",
                   "t.csv: line 2: expected a whole number n from 1 to 1000000000, found \"1.5\"",
                   "t.csv: line 2: expected a time_us above 0 and at most 1e9, found \"-1\"",
                   "t.csv: line 3: expected 4 fields, found \"1,2,3\"",
                   "t.csv: line 4: expected a time_us above 0 and at most 1e9, found \"nan\"",
                   "t.csv: line 5: expected a whole number m from 1 to 1000000000, found \"-1\""}));
}

TEST(OperatorTable, NeedsWholeGroupsAndFlags) {
  EXPECT_EQ(wrong("groups,rows,n,k,time_us\n8,1020,128,256,2.5\n"),
            Lines{"t.csv: line 2: expected a multiple of groups as rows, found \"1020 and 8\""});
  EXPECT_EQ(wrong("causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us\n"
                  "2,0,2,4096,32,5,192,128,70\n1,0,2,4096,32,5,192,128,70\n"),
            (Lines{"t.csv: line 2: expected a whole number causal from 0 to 1, found \"2\"",
                   "t.csv: line 3: expected a multiple of key_value_heads as heads, found \"32 and 5\""}));
}

TEST(OperatorTable, ThatIsMissingIsAFinding) {
  OperatorTables tables;
  EXPECT_THROW(read_operator_table(folder_of_this_test() + "/none.csv", tables), InputError);
}

const std::string kTables = "workloads/measured/";

Accelerator with_shipped(const std::string& table, double memory_bandwidth) {
  Accelerator accelerator{"device",
                          {FlopsPerSecond(1e15), Evidence::Assumed, "unused"},
                          {Bytes(1e9), Evidence::Assumed, "unused"},
                          {BytesPerSecond(memory_bandwidth), Evidence::Vendor, "a data sheet"}};
  read_operator_table(shipped(kTables + table), accelerator.operators.edit());
  return accelerator;
}

TEST(ShippedOperatorTables, CanAllBeRead) {
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped(kTables))) {
    if (entry.path().extension() != ".csv") continue;
    OperatorTables tables_of;
    EXPECT_NO_THROW(read_operator_table(entry.path(), tables_of)) << entry.path();
    ++tables;
  }
  EXPECT_GE(tables, 10u);
}

// Returns the mean over those rows of a whole table that the shipped part does not hold.
template <class Row, class Predict>
double error_outside(const std::vector<Row>& whole, Predict predict) {
  double sum = 0;
  std::size_t rows = 0;
  for (const Row& row : whole) {
    const Estimate estimate = predict(row);
    if (estimate.evidence == Evidence::Measured) continue;
    sum += std::abs(estimate.time / row.time - 1);
    ++rows;
  }
  return sum / static_cast<double>(rows);
}

double shipped_gemm_error(const std::string& system, double memory_bandwidth) {
  const OperatorTimes times(with_shipped(system + "-gemm-bf16.csv", memory_bandwidth));
  std::vector<MeasuredGemm> training = testing::raw_gemms(system);
  std::erase_if(training, [](const MeasuredGemm& row) { return row.m < 64 || row.n < 128 || row.k < 128; });
  return error_outside(training, [&](const MeasuredGemm& row) { return times.gemm({row.m, row.n, row.k}); });
}

// The test predicts the omitted rows in training's range (m from 64, n and k from 128).
TEST(ShippedOperatorTables, PredictWhatTheyLeaveOut) {
  if (!testing::raw_folder()) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  EXPECT_LT(shipped_gemm_error("a100", 2.0e12), 0.10);
  EXPECT_LT(shipped_gemm_error("h100", 3.35e12), 0.08);
  EXPECT_LT(shipped_gemm_error("b200", 8.0e12), 0.08);
  const OperatorTimes h200(with_shipped("h200-encoder-attention.csv", 4.8e12));
  EXPECT_LT(error_outside(testing::raw_encoder_attention(),
                          [&](const MeasuredAttention& row) {
                            const Sequences sequences{row.batch, row.length};
                            return h200.attention(
                                {row.heads, row.heads, row.key_width, row.value_width, false},
                                {&sequences, 1}, false);
                          }),
            0.08);
}

}  // namespace
}  // namespace spillway
