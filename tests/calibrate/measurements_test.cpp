// The content of a file tells which measurements it holds, and all of them are fitted.
#include "calibrate/measurements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "calibrate/fit_measurements.h"
#include "calibrate/fitted_document.h"
#include "fitted_numbers.h"
#include "input/platform/platform_reader.h"
#include "traces/measured_files.h"

namespace spillway {
namespace {

using testing::measured_file;
using testing::number_in;
using testing::refusals;

TEST(Measurements, OperatorsAreToldByTheirSizes) {
  const Measurements plain = read_measurements(measured_file("o.csv", "m,n,k,time_us\n8,16,32,4\n"));
  EXPECT_EQ(plain.samples.operators.gemms.size(), 1u);
  EXPECT_EQ(plain.samples.tables, plain.samples.files);
  const Measurements other =
      read_measurements(measured_file("o.csv", "# a sweep\ndevice,m,n,k,latency_ms\nX,8,16,32,4\n"), "here");
  EXPECT_EQ(other.samples.operators.gemms.size(), 1u);
  EXPECT_TRUE(other.samples.tables.empty());
  EXPECT_EQ(other.samples.source, "here: X");
}

TEST(Measurements, OperatorsWithoutATimeAreRefusedForThat) {
  const auto found = refusals([] { read_measurements(measured_file("o.csv", "m,n,k,watts\n8,16,32,4\n")); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("and a time with its unit"), std::string::npos) << found[0];
}

// A forward and a backward have one kernel each, and half of each kernel overlaps the other.
const std::string kSideBySide = R"json({"traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "mlp(F)", "ts": 0, "dur": 5, "pid": 1, "tid": 1},
  {"ph": "X", "cat": "user_annotation", "name": "mlp(B)", "ts": 5, "dur": 5, "pid": 1, "tid": 1},
  {"ph": "X", "cat": "cuda_runtime", "name": "launch", "ts": 1, "dur": 1, "pid": 1, "tid": 1,
   "args": {"correlation": 1}},
  {"ph": "X", "cat": "cuda_runtime", "name": "launch", "ts": 6, "dur": 1, "pid": 1, "tid": 1,
   "args": {"correlation": 2}},
  {"ph": "X", "cat": "kernel", "name": "a", "ts": 10, "dur": 20, "pid": 0, "tid": 7,
   "args": {"correlation": 1, "stream": 7}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "ts": 20, "dur": 20, "pid": 0, "tid": 9,
   "args": {"correlation": 2, "stream": 9}}]})json";

TEST(Measurements, ATraceWithBothPassesBesideEachOtherIsAnOverlap) {
  const Measurements found = read_measurements(measured_file("t.json", kSideBySide));
  ASSERT_TRUE(found.overlap);
  EXPECT_DOUBLE_EQ(found.overlap->whole.factor(), 0.75);
  EXPECT_TRUE(found.passes.empty());
}

// mpirun's labels begin as JSON's lists do; the programs' own JSON is no trace; PyTorch's execution traces
// have no times.
TEST(Measurements, LogsAndTracesAreToldApart) {
  const std::string log =
      "[1,0]<stdout>:# operation: all-reduce\n[1,0]<stdout>:# devices: 8\n"
      "[1,0]<stdout>:#  size count type redop time algbw busbw error time algbw busbw error\n"
      "[1,0]<stdout>:  1048576 262144 float sum 100 10.4 18.3 0 101 10.3 18.1 0\n";
  EXPECT_EQ(read_measurements(measured_file("l.log", log)).samples.messages.size(), 1u);
  const std::string results =
      R"({"version":3,"start_time":"now","args":["all_reduce_perf"],"config":{"nthreads":1,"ngpus":8,"devices":)"
      R"([{"rank":0,"hostname":"a"}]},"results":[{"size":1048576,"count":262144,"type":"float","out_of_place":)"
      R"({"time":100,"alg_bw":10.4,"bus_bw":18.3}}]})";
  const Samples read = read_measurements(measured_file("r.json", results)).samples;
  ASSERT_EQ(read.messages.size(), 1u);
  EXPECT_EQ(read.messages[0].neighbours, 8u);
  const std::string operators =
      R"({"schema": "1.0.1", "nodes": [{"id": 2, "name": "aten::mm", "parent": 1}]})";
  EXPECT_EQ(refusals([&] { read_measurements(measured_file("e.json", operators)); }).size(), 1u);
}

TEST(Measurements, WhatIsNoneIsRefused) {
  const auto without_kernels = refusals(
      [] { read_measurements(measured_file("t.json", R"({"traceEvents": [{"ph": "B", "ts": 1}]})")); });
  EXPECT_EQ(without_kernels, (std::vector<std::string>{"/: expected events of category kernel, found none"}));
  EXPECT_THROW(read_measurements("/nowhere"), InputError);
}

TEST(Measurements, ATraceOfPassesAloneIsRefusedAsOne) {
  const std::string path =
      measured_file("t.csv",
                    "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"
                    "0,0,0,7,forward-compute,1,2,-1,0,0,0\n");
  EXPECT_EQ(
      refusals([&] { read_measurements(path); }),
      (std::vector<std::string>{"/: expected passes that launch kernels, or messages or operators timed by "
                                "themselves, found a trace (straggler-analysis) without"}));
}

const Platform& h100() {
  static const Platform platform = read_platform(SPILLWAY_SOURCE_DIR "/platforms/hgx-h100.json");
  return platform;
}

TEST(FitMeasurements, SaysNothingOfWhatNobodyMeasured) {
  const Fits fits =
      fit_measurements(h100(), {read_measurements(measured_file("o.csv", "m,n,k,time_us\n8,16,32,4\n"))});
  for (const Undetermined& open : fits.undetermined)
    EXPECT_TRUE(open.pointer.starts_with("/accelerator/")) << open.pointer;
  ASSERT_EQ(fits.tables.size(), 1u);
}

// A table is refused if its times are too short, for instance in a wrong unit or from a faster device.
TEST(FitMeasurements, NoTableThatOutrunsThePeak) {
  const Fits fits = fit_measurements(
      h100(), {read_measurements(measured_file("o.csv", "m,n,k,time_us\n8192,8192,8192,500\n"), "mine")});
  EXPECT_TRUE(fits.tables.empty());
  ASSERT_FALSE(fits.undetermined.empty());
  EXPECT_EQ(fits.undetermined.back().pointer, "/accelerator/operators");
  EXPECT_NE(fits.undetermined.back().why.find("its fastest runs at 222 % of the peak"), std::string::npos)
      << fits.undetermined.back().why;
}

// Two files of the same kind of operator are fitted as one measurement.
TEST(FitMeasurements, FilesOfOneKindAreFittedTogether) {
  std::string text = "m,n,k,time_us\n";
  for (const double n : {4096.0, 6144.0, 8192.0, 10240.0, 12288.0, 16384.0})
    text += std::to_string(int(n)) + "," + std::to_string(int(n)) + ",8192," +
            std::to_string(2 * n * n * 8192 / 0.5e9) + "\n";
  const Measurements a = read_measurements(measured_file("a.csv", text), "one");
  const Measurements b = read_measurements(measured_file("b.csv", text), "two");
  const Fits both = fit_measurements(h100(), {a, b});
  const FittedNumber* fitted = number_in(both, "/accelerator/efficiency/gemm");
  ASSERT_NE(fitted, nullptr);
  EXPECT_NEAR(fitted->value, 0.5e15 / h100().accelerator.peak.value.value(), 1e-3);
  EXPECT_EQ(fitted->source, a.samples.source + "; " + b.samples.source);
  EXPECT_EQ(both.tables.size(), 2u);
}

// The base has GEMMs, GEMMs in two formats of FP8, and attentions. Measured GEMMs replace only the first of
// these.
TEST(FitMeasurements, AMeasuredTableTakesThePlaceOfItsKind) {
  const std::string base = SPILLWAY_SOURCE_DIR "/platforms/hgx-h100.json";
  const std::string table = measured_file("o.csv", "m,n,k,time_us\n8192,8192,8192,2000\n");
  const Fits fits = fit_measurements(h100(), {read_measurements(table, "mine")});
  const std::string target = measured_file("p.json", "");
  const std::string document = calibrated_document(base, fits, target);
  const auto operators = nlohmann::json::parse(document)["accelerator"]["operators"];
  ASSERT_EQ(operators.size(), 7u);
  for (const auto& kept : {operators[0], operators[1]}) EXPECT_EQ(kept["precision"], "fp8-blocks") << kept;
  for (const auto& kept : {operators[2], operators[3]})
    EXPECT_NE(kept["file"].get<std::string>().find("attention.csv"), std::string::npos) << kept;
  EXPECT_EQ(operators[4]["precision"], "fp8");
  EXPECT_NE(operators[5]["file"].get<std::string>().find("scan.csv"), std::string::npos);
  EXPECT_EQ(operators[6]["file"], "o.csv");
  const OperatorTables read = read_platform_text(document, target).accelerator.operators;
  ASSERT_EQ(read.gemms.size(), 1u);
  EXPECT_EQ(read.attentions.size(), h100().accelerator.operators->attentions.size());
}

class RawMeasurements : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
    if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    data_ = std::string(data) + "/";
  }

  std::string data_;
};

// The folder, Ascend/msinsight @4e16fca1, has messages, products and passes.
TEST_F(RawMeasurements, AnAscendFolderGivesNetworkOperatorsAndHost) {
  const Platform base = read_platform(SPILLWAY_SOURCE_DIR "/platforms/atlas-800-a2.json");
  const Fits fits = fit_measurements(base, {read_measurements(data_ + "ascend_910b_pp2")});
  ASSERT_NE(number_in(fits, "/accelerator/host_overhead_us"), nullptr);
  EXPECT_NEAR(number_in(fits, "/accelerator/host_overhead_us")->value, 173, 10);
  ASSERT_NE(number_in(fits, "/accelerator/efficiency/gemm"), nullptr);
  EXPECT_NEAR(number_in(fits, "/accelerator/efficiency/gemm")->value, 0.68, 0.02);
}

// The trace is from deepseek-ai/profile-data @44960242.
TEST_F(RawMeasurements, ADualPipeChunkGivesTheSlowdown) {
  const Measurements chunk = read_measurements(data_ + "overlap/deepseek_profile/train.json.gz");
  ASSERT_TRUE(chunk.overlap);
  EXPECT_EQ(chunk.overlap->layers.size(), 4u);
  const Fits fits = fit_measurements(h100(), {chunk});
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_NEAR(fits.numbers[0].value, 0.0997, 1e-3);
  EXPECT_EQ(fits.numbers[0].source, "deepseek_profile/train.json.gz");
}

}  // namespace
}  // namespace spillway
