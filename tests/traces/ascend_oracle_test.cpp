// The Ascend importer against values that a person read off the same run (Ascend/msinsight's example of PP2 x
// DP2 on 910B, pp2_timeline.csv and gemm_910b_from_kernel_details.csv).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "support/measured_data.h"
#include "traces/formats/trace_format_list.h"
#include "traces/samples/ascend_samples.h"
#include "traces/samples/pass_kernels.h"

namespace spillway {
namespace {

class AscendOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = testing::measured_data("ascend_910b_pp2");
    if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    data_ = *folder;
  }

  // Returns the rows of a table of the folder, without the header.
  std::vector<std::vector<std::string>> table(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(data_ + "/" + name);
    for (std::string line; std::getline(file, line);) {
      std::istringstream text(line);
      rows.emplace_back();
      for (std::string field; std::getline(text, field, ',');) rows.back().push_back(field);
    }
    if (!rows.empty()) rows.erase(rows.begin());
    return rows;
  }

  std::string data_;
};

double ms(Seconds time) {
  return time.value() * 1e3;
}

std::string label(TraceKind kind, std::uint32_t microbatch) {
  return (kind == TraceKind::Forward ? "F" : "B") + std::to_string(microbatch);
}

// A row's label names passes, "F0" or "F0+B0". They follow each other, and are joined here.
struct Joined {
  std::size_t kernels = 0;
  double start = 0;
  double end = 0;
  double busy = 0;
};

Joined joined(const Trace& trace, std::uint16_t rank, const std::string& labels) {
  Joined all;
  for (const TraceEvent& event : trace.events) {
    if (event.rank != rank || !is_compute(event.kind)) continue;
    if (labels.find(label(event.kind, event.microbatch)) == std::string::npos) continue;
    all.start = all.end == 0 ? ms(event.start) : all.start;
    all.end = ms(event.end());
  }
  for (const PassKernels& pass : pass_kernels(trace)) {
    if (pass.rank != rank || labels.find(label(pass.kind, pass.microbatch)) == std::string::npos) continue;
    all.kernels += pass.kernels;
    all.busy += ms(pass.kernel_busy);
  }
  return all;
}

TEST_F(AscendOracle, PassesAreWhereAPersonSawThem) {
  const Trace trace = kAscendFolder.read(data_);
  std::size_t compared = 0;
  for (const auto& row : table("pp2_timeline.csv")) {
    if (row[3][0] != 'F' && row[3][0] != 'B') continue;
    const Joined passes = joined(trace, static_cast<std::uint16_t>(std::stoi(row[1])), row[3]);
    EXPECT_NEAR(passes.start, std::stod(row[4]), 0.002) << row[3];
    EXPECT_NEAR(passes.end, std::stod(row[5]), 0.002) << row[3];
    EXPECT_NEAR(passes.busy, std::stod(row[7]), 0.002) << row[3];
    EXPECT_EQ(passes.kernels, std::stoul(row[8])) << row[3];
    ++compared;
  }
  EXPECT_EQ(compared, 6u);
}

TEST_F(AscendOracle, TheSpanOfTheStep) {
  const Trace trace = kAscendFolder.read(data_);
  Seconds first(1e9);
  Seconds last;
  for (const TraceEvent& event : trace.events) {
    if (!is_compute(event.kind)) continue;
    first = std::min(first, event.start);
    last = std::max(last, event.end());
  }
  EXPECT_NEAR(ms(last - first), 648.0, 0.01);
  EXPECT_NEAR(trace.origin_s, 1764246877.0735696, 1e-6);
  EXPECT_EQ(trace.steps, std::vector<std::string>{"13"});
}

// In 1F1B with two ranks the second message of each rank carries an activation one way and a gradient the
// other, so one kernel is two transfers.
TEST_F(AscendOracle, MessagesCarryWhatTheirNeighboursNeed) {
  const Trace trace = kAscendFolder.read(data_);
  std::vector<std::string> found;
  for (const TraceEvent& event : trace.events)
    if (is_transfer(event.kind))
      found.push_back(std::to_string(event.rank) + " " + std::string(to_string(event.kind)) + " " +
                      std::to_string(event.microbatch) + " " + trace.names[event.name]);
  EXPECT_EQ(
      found,
      (std::vector<std::string>{
          "0 send-forward 0 hcom_batchSendRecv__128_3_1", "0 send-forward 1 hcom_batchSendRecv__128_4_1",
          "0 recv-backward 0 hcom_batchSendRecv__128_4_1", "0 recv-backward 1 hcom_batchSendRecv__128_5_1",
          "1 recv-forward 0 hcom_batchSendRecv__128_3_1", "1 recv-forward 1 hcom_batchSendRecv__128_4_1",
          "1 send-backward 0 hcom_batchSendRecv__128_4_1", "1 send-backward 1 hcom_batchSendRecv__128_5_1"}));
}

TEST_F(AscendOracle, WhatWasGuessedAndWhatIsMissingIsSaid) {
  std::vector<std::string> said;
  for (const Note& note : kAscendFolder.read(data_).notes) said.push_back(to_string(note));
  const auto has = [&](const std::string& note) {
    return std::find(said.begin(), said.end(), note) != said.end();
  };
  EXPECT_TRUE(has("missing: 2 kernel_details.csv (rank 1, 3), so these ranks have no passes"));
  EXPECT_TRUE(has("dropped: 6 messages of devices without kernels, whose direction is unknown"));
  EXPECT_TRUE(has("read: 4 of 4 devices in 2 pipeline ranks and 2 replicas"));
  EXPECT_TRUE(
      has("guessed: 2 boundaries between a forward and its backward on the last stage, where one "
          "value is filled before the first kernel of a gradient"));
  EXPECT_TRUE(has("read: 6 messages whose inferred direction and bytes received (communication.json) agree"));
  EXPECT_TRUE(
      has("read: 2 steps of a device whose kernels' time and \"Computing\" (step_trace_time.csv) agree"));
}

// More than half of a forward of the first stage is waiting for the host. A collective inside a forward of
// the last stage counts as neither kernel nor gap.
TEST_F(AscendOracle, HostGapsStandApart) {
  const auto passes = pass_kernels(kAscendFolder.read(data_));
  ASSERT_EQ(passes.size(), 8u);
  for (const PassKernels& pass : passes) {
    EXPECT_NEAR(ms(pass.kernel_busy + pass.collective + pass.host_gap), ms(pass.span), 1e-9);
    const double idle = pass.host_gap / pass.span;
    const bool forward = pass.kind == TraceKind::Forward;
    const double expected = !forward ? 0.09 : pass.rank == 0 ? 0.6 : 0.35;
    EXPECT_NEAR(idle, expected, forward ? 0.04 : 0.1) << pass.rank << label(pass.kind, pass.microbatch);
  }
  EXPECT_NEAR(ms(passes[4].collective), 6.492, 0.001);
  EXPECT_EQ(passes[0].collective, Seconds(0));
}

TEST_F(AscendOracle, MessagesCrossTheLinkAtItsBandwidth) {
  const Samples samples = read_ascend_samples(data_);
  std::size_t messages = 0;
  for (const MessageSample& sample : samples.messages) {
    EXPECT_EQ(sample.transport, "HCCS");
    EXPECT_EQ(sample.devices, 2u);
    EXPECT_EQ(sample.neighbours, 2u);
    if (sample.operation != CollectiveOperation::SendRecv) continue;
    ++messages;
    EXPECT_EQ(sample.size.value(), 4096 * 1024 * 2);
    EXPECT_NEAR(ms(sample.time), 0.401, 0.001);
  }
  EXPECT_EQ(messages, 8u);  // two into each device
}

// Gradients are FP32 and parameters BF16: the reduce-scatter of the first buffer of stage 0 has twice the
// bytes of its all-gather, and both move 220,233,216 parameters.
TEST_F(AscendOracle, CollectivesAreOfWholeVectors) {
  const auto largest = [&](CollectiveOperation operation, const Samples& samples) {
    double most = 0;
    for (const MessageSample& sample : samples.messages)
      if (sample.operation == operation) most = std::max(most, sample.size.value());
    return most;
  };
  const Samples first = read_ascend_samples(data_ + "/rank_0_ascend_pt");
  EXPECT_EQ(largest(CollectiveOperation::ReduceScatter, first), 220233216.0 * 4);
  EXPECT_EQ(largest(CollectiveOperation::AllGather, first), 220233216.0 * 2);
  EXPECT_EQ(largest(CollectiveOperation::AllReduce, first), 151936.0 * 1024 * 4);  // the embedding's gradient
}

// The table takes the upper of two middle values. One of its rows differs from the kernels' product: operands
// of 4096 x 1024 and 4096 x 1024 give 4096 x 4096, so k is 1024.
TEST_F(AscendOracle, ProductsAreThoseOfThePersonsTable) {
  const std::vector<MeasuredGemm> gemms = read_ascend_samples(data_).operators.gemms;
  const auto rows = table("gemm_910b_from_kernel_details.csv");
  EXPECT_EQ(gemms.size(), rows.size());
  for (const auto& row : rows) {
    const bool misread = row[5] == "1024" && row[6] == "1024";
    const double m = misread ? 4096 : std::stod(row[5]);
    const double n = misread ? 4096 : std::stod(row[6]);
    const double k = misread ? 1024 : std::stod(row[7]);
    const auto found = std::find_if(gemms.begin(), gemms.end(), [&](const MeasuredGemm& gemm) {
      return gemm.m == m && gemm.n == n && gemm.k == k;
    });
    ASSERT_NE(found, gemms.end()) << m << " " << n << " " << k;
    EXPECT_NEAR(found->time.value() * 1e6 / std::stod(row[9]), 1, 0.015) << m << " " << n << " " << k;
  }
}

}  // namespace
}  // namespace spillway
