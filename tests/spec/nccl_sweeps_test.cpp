// The shipped platforms against the raw NCCL sweeps of ai-dynamo/aiconfigurator at 095f58a5
// (comm/aiconfigurator below the folder that SPILLWAY_MEASURED_DATA names; a sweep that is not there is
// skipped): read off the curves at every size, and the closed forms, which were fitted to none of them, with
// the curves removed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cost/network/collectives.h"
#include "spec/platform/platform_reader.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

struct Sweeps {
  const char* platform;
  const char* file;  // without __nccl_perf.csv
  bool all_reduce;   // whether the platform's all-reduce is this one
};

void PrintTo(const Sweeps& sweeps, std::ostream* out) {
  *out << sweeps.platform;
}

struct Row {
  CollectiveOperation operation;
  std::uint32_t devices;
  Bytes bytes;
  Seconds time;
};

CollectiveOperation operation_of(const std::string& word) {
  if (word == "all_gather") return AllGather;
  if (word == "reduce_scatter") return ReduceScatter;
  return word == "alltoall" ? AllToAll : AllReduce;
}

// In 16-bit floats; a size is in elements of the vector.
std::vector<Row> rows_of(std::ifstream& file) {
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    const std::size_t last =
        fields.size() - 1;  // op_name, kernel_source, nccl_dtype, num_gpus, size, latency
    if (fields.at(last - 3) != "half") continue;
    rows.push_back({operation_of(fields.at(last - 5)),
                    static_cast<std::uint32_t>(std::stoul(fields.at(last - 2))),
                    Bytes(2 * std::stod(fields.at(last - 1))), milliseconds(std::stod(fields.at(last)))});
  }
  return rows;
}

class NcclSweeps : public ::testing::TestWithParam<Sweeps> {
 protected:
  void SetUp() override {
    const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
    if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    std::ifstream file(std::string(data) + "/comm/aiconfigurator/" + GetParam().file + "__nccl_perf.csv");
    if (!file) GTEST_SKIP() << "no sweep " << GetParam().file;
    rows_ = rows_of(file);
    ASSERT_GT(rows_.size(), 150u);
    platform_ = read_platform(SPILLWAY_SOURCE_DIR "/platforms/" + std::string(GetParam().platform) + ".json");
  }

  struct Errors {
    double sum = 0, count = 0, worst = 0;
    void add(double error) {
      sum += std::abs(error), ++count;
      if (std::abs(error) > std::abs(worst)) worst = error;
    }
    double mean() const { return sum / count; }
  };

  CollectiveEstimate estimate(const Row& row) const {
    return collective_time(platform_, row.operation, {DeviceId(0), row.devices})(row.bytes);
  }

  std::vector<Row> rows_;
  Platform platform_;
};

TEST_P(NcclSweeps, LieOnTheirCurves) {
  Errors errors;
  for (const Row& row : rows_) {
    if (row.operation == AllReduce && !GetParam().all_reduce) continue;
    const CollectiveEstimate read = estimate(row);
    EXPECT_EQ(read.algorithm, Algorithm::Measured);
    EXPECT_EQ(read.evidence, Evidence::Measured);
    errors.add(read.time / row.time - 1);
  }
  RecordProperty("mean_absolute_error", std::to_string(errors.mean()));
  EXPECT_LT(std::abs(errors.worst), 0.035);
}

// With the launch of a kernel counted at every step of a ring they were 89 to 148 % off on average.
TEST_P(NcclSweeps, AreNearTheirClosedForms) {
  for (Tier& tier : platform_.tiers) tier.collectives.clear();
  Errors errors;
  for (const Row& row : rows_) errors.add(estimate(row).time / row.time - 1);
  RecordProperty("mean_absolute_error", std::to_string(errors.mean()));
  RecordProperty("worst", std::to_string(errors.worst));
  EXPECT_LT(errors.mean(), 0.4);
  EXPECT_LT(std::abs(errors.worst), 1);
}

INSTANTIATE_TEST_SUITE_P(All, NcclSweeps,
                         ::testing::Values(Sweeps{"hgx-a100", "a100_sxm__comm__nccl__2.27.3", false},
                                           Sweeps{"hgx-h100", "h100_sxm__comm__nccl__2.29.2", false},
                                           Sweeps{"hgx-h200", "h200_sxm__comm__nccl__2.29.2", true},
                                           Sweeps{"b200", "b200_sxm__comm__nccl__2.29.2", true},
                                           Sweeps{"gb200-nvl72", "gb200__comm__nccl__2.29.2", true}),
                         [](const auto& sweeps) {
                           std::string name = sweeps.param.platform;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace spillway
