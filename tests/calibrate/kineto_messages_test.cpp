// Messages that NCCL's kernels record in PyTorch's traces. Keys and their values are those of PyTorch 2.4 to
// 2.9 (torch/csrc/distributed/c10d, ParamCommsUtils; kineto's output_json.cpp).
#include "traces/samples/kineto_messages.h"

#include <gtest/gtest.h>

#include "calibrate/measurements.h"
#include "traces/trace_files.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

struct NcclKernel {
  std::string collective;
  int in, out, devices;
  std::string type, ranks;
  double us;
};

std::string profile_of(const std::vector<NcclKernel>& kernels, int rank) {
  std::string events;
  double at = 0;
  for (const NcclKernel& k : kernels) {
    events += std::string(events.empty() ? "" : ",") +
              R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": 0, "tid": 7, )" +
              "\"ts\": " + std::to_string(at) + ", \"dur\": " + std::to_string(k.us);
    if (!k.collective.empty())
      events += R"(, "args": {"stream": 7, "Collective name": ")" + k.collective + R"(", "In msg nelems": )" +
                std::to_string(k.in) + R"(, "Out msg nelems": )" + std::to_string(k.out) +
                R"(, "Group size": )" + std::to_string(k.devices) + R"(, "dtype": ")" + k.type +
                R"(", "Process Group Ranks": ")" + k.ranks + "\"}";
    events += '}';
    at += 1e6;
  }
  return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank) +
         R"(, "world_size": 2}, "traceEvents": [)" + events + "]}";
}

std::string message_text(const MessageSample& sample) {
  return std::to_string(static_cast<int>(sample.operation)) + ' ' + std::to_string(sample.devices) + '/' +
         std::to_string(sample.neighbours) + ' ' + std::to_string(static_cast<long>(sample.size.value())) +
         " B " + std::to_string(static_cast<long>(sample.time.value() * 1e6 + 0.5)) + " us";
}

Texts message_texts(const std::vector<MessageSample>& samples) {
  Texts all;
  for (const MessageSample& sample : samples) all.push_back(message_text(sample));
  return all;
}

// Two all-reduces have 2000 bytes; rank 0 waits in the first and rank 1 in the second. An all-gather makes
// 8000 bytes.
const std::vector<NcclKernel> kFirstRank = {{"allreduce", 1000, 1000, 2, "BFloat16", "[0, 1]", 50},
                                            {"allreduce", 1000, 1000, 2, "BFloat16", "[0, 1]", 12},
                                            {"_allgather_base", 1000, 2000, 2, "Float", "[0, 1]", 30},
                                            {"broadcast", 8, 8, 2, "Long", "[0, 1]", 5},
                                            {"", 0, 0, 0, "", "", 5}};
const std::vector<NcclKernel> kSecondRank = {{"allreduce", 1000, 1000, 2, "BFloat16", "[0, 1]", 10},
                                             {"allreduce", 1000, 1000, 2, "BFloat16", "[0, 1]", 90},
                                             {"_allgather_base", 1000, 2000, 2, "Float", "[0, 1]", 20}};

TEST(KinetoMessages, TheFastestRankDidNotWait) {
  const std::string a = measured_file("a.json", profile_of(kFirstRank, 0)),
                    b = measured_file("b.json", profile_of(kSecondRank, 1));
  const Samples both = read_kineto_messages({a, b}, {});
  EXPECT_EQ(message_texts(both.messages),
            (Texts{"0 2/2 2000 B 10 us", "0 2/2 2000 B 12 us", "1 2/2 8000 B 20 us"}));
  EXPECT_EQ(
      texts(both.notes),
      (Texts{"read: 3 messages in NCCL's kernels, each with its fastest rank's time, since the others wait",
             "dropped: 1 kernel of communication without a size",
             "dropped: 1 message of kinds that are not fitted, such as broadcasts",
             "guessed: the file does not state the placement of the devices: all in one node (--per-node)"}));
  const Samples alone = read_kineto_messages({a}, {});
  EXPECT_EQ(message_texts(alone.messages), (Texts{"0 2/2 2000 B 12 us", "1 2/2 8000 B 30 us"}));
}

TEST(KinetoMessages, RanksSayWhereTheyLie) {
  const std::string path = measured_file(
      "nodes.json", profile_of({{"_reduce_scatter_base", 800, 100, 4, "Half", "[0, 1, 8, 9]", 10},
                                {"all_to_all", 800, 800, 2, "Float8_e4m3fn", "[0, 8]", 10},
                                {"send", 800, 800, 2, "Half", "[0, 1]", 10},
                                {"allreduce", 800, 800, 3, "Half", "[0, 1, 8]", 10},
                                {"allreduce", 1048576, 1048576, 2, "Half", "[0, 1]", 900000}},
                               0));
  const Samples samples = read_kineto_messages({path}, {{}, {}, 8});
  EXPECT_EQ(message_texts(samples.messages),
            (Texts{"2 4/2 1600 B 10 us", "3 2/1 800 B 10 us", "4 2/2 1600 B 10 us"}));
}

TEST(KinetoMessages, AreMeasurementsOfAFileAndOfAFolder) {
  const std::string path = measured_file("job/a.json", profile_of(kFirstRank, 0));
  measured_file("job/b.json", profile_of(kSecondRank, 1));
  EXPECT_EQ(read_measurements(path).samples.messages.size(), 2u);
  EXPECT_EQ(read_measurements(path.substr(0, path.rfind('/'))).samples.messages.size(), 3u);
}

}  // namespace
}  // namespace spillway::testing
