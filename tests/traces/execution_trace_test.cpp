// PyTorch's execution traces as JSON: those that were joined with times are read, the observer's own are
// refused by name.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace_files.h"
#include "traces/formats/execution_trace_nodes.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing::execution_traces {
namespace {

using Texts = std::vector<std::string>;

std::string document(const std::string& nodes, const std::string& schema = "1.1.1-chakra.0.0.4") {
  return R"({"schema": ")" + schema +
         R"(", "pid": 788625, "time": "2024-03-21 18:54:23", "start_ts": 35, "nodes": [)" + nodes +
         R"(], "finish_ts": 36})";
}

// An operator of the observer, in the form of today.
std::string operator_node(int id, int caller, const std::string& name, const std::string& times = "") {
  return R"({"id": )" + std::to_string(id) + R"(, "name": ")" + name + R"(", "ctrl_deps": )" +
         std::to_string(caller) +
         R"(, "inputs": {"values": [[5, 6, 0, 1, 4, "cpu"]], "shapes": [[1]], "types": ["Tensor"]}, )"
         R"("outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "rf_id", "type": "uint64", )"
         R"("value": 7}, {"name": "tid", "type": "uint64", "value": 1}])" +
         times + "}";
}

std::string kernel_node(int id, int caller, const std::string& name, double at, double us) {
  return operator_node(id, caller, name,
                       R"(, "cat": "kernel", "ph": "X", "ts": )" + std::to_string(at) +
                           R"(, "inclusive_dur": )" + std::to_string(us) +
                           R"(, "exclusive_dur": 0, "stream": 7)");
}

TEST(ExecutionTrace, WithoutTimesIsRefusedByName) {
  for (const std::string& schema : {std::string("1.1.0-chakra.0.0.4"), std::string("1.0.1")}) {
    const std::string path = measured_file(
        "et.json", document(operator_node(2, 1, "aten::mm") + "," + operator_node(3, 2, "aten::t"), schema));
    const Violation refused = violation_of([&] { read_trace(path); });
    EXPECT_EQ(
        refused.expected,
        "a trace with times: the one of torch.profiler (export_chrome_trace) of the same run, or this one "
        "joined with it by chakra_trace_link");
    EXPECT_EQ(refused.found,
              "an execution trace of PyTorch (schema " + schema + "), which states 2 operators and no times");
  }
}

// To schema 1.0.1, PARAM's, the caller was "parent".
TEST(ExecutionTrace, CallersAreReadInBothForms) {
  const std::string path = measured_file(
      "callers.json",
      document(R"({"name": "aten::mm", "id": 2, "rf_id": 2, "parent": 1, "fw_parent": 0, "ts": 3, )"
               R"("inputs": [], "input_shapes": []}, )" +
               operator_node(3, 2, "aten::t")));
  const auto nodes = read_execution_trace(path);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].callers, std::vector<std::uint64_t>{1});
  EXPECT_EQ(nodes[1].callers, std::vector<std::uint64_t>{2});
  EXPECT_EQ(nodes[1].name, "aten::t");
}

TEST(ExecutionTrace, JoinedWithTimesIsATrace) {
  const std::string nodes =
      operator_node(2, 1, "PP:0F0", R"(, "inclusive_dur": 9, "exclusive_dur": 1, "ts": 1000)") + "," +
      operator_node(3, 2, "aten::mm", R"(, "inclusive_dur": 8, "exclusive_dur": 8, "ts": 1001)") + "," +
      kernel_node(4, 3, "gemm", 1010.5, 20) + "," +
      kernel_node(5, 3, "ncclDevKernel_AllReduce", 1040.5, 6.25);
  const std::string path = measured_file("joined/et_plus_0.json", document(nodes));
  const Trace trace = read_trace(path);
  EXPECT_EQ(trace.format, "execution-trace");
  EXPECT_EQ(texts(trace.events),
            (Texts{"kernel r0 s0 m- 0+20", "forward r0 s0 m0 0+36", "collective r0 s0 m- 30+6"}));
  measured_file("joined/et_plus_1.json", document(nodes));
  const Trace both = read_trace(path.substr(0, path.rfind('/')));
  EXPECT_EQ(both.files.size(), 2u);
  EXPECT_EQ(both.events.size(), 6u);
}

TEST(ExecutionTrace, IsRecognizedByItsFirstKey) {
  EXPECT_TRUE(begins_execution_trace(document("")));
  EXPECT_TRUE(begins_execution_trace("{\n \"schema\" : \"1.0.1\", \"nodes\": ["));
  EXPECT_FALSE(begins_execution_trace(R"({"schema": "spillway/report/1", "nodes": []})"));
  EXPECT_FALSE(begins_execution_trace(R"({"schemaVersion": 1, "traceEvents": []})"));
  EXPECT_FALSE(begins_execution_trace(R"({"schema": )"));
  EXPECT_FALSE(begins_execution_trace("{"));
}

TEST(ExecutionTrace, BrokenOnesAreRefused) {
  const std::string whole = document(kernel_node(4, 3, "gemm", 10, 20));
  const std::string cut = measured_file("cut.json", whole.substr(0, whole.size() - 40));
  EXPECT_EQ(violation_of([&] { read_trace(cut); }).expected, "an execution trace as JSON");
  const std::string deep = measured_file("deep.json", document(std::string(100'000, '[')));
  EXPECT_EQ(violation_of([&] { read_trace(deep); }).expected, "an execution trace as JSON");
}

// mlcommons/chakra at 21585d8 ships the observer's trace of a run that sends between two processes
// (tests/data/1.0.2-chakra.0.0.4.tgz): "record_param_comms" and operators, no times.
TEST(ExecutionTrace, OfSendsIsRefusedByName) {
  const std::string path =
      measured_file("sends.json", document(operator_node(2, 1, "[pytorch|profiler|execution_trace|thread]") +
                                               "," + operator_node(3, 2, "## process_group:init ##") + "," +
                                               operator_node(4, 2, "record_param_comms"),
                                           "1.0.2-chakra.0.0.4"));
  EXPECT_EQ(
      violation_of([&] { read_trace(path); }).found,
      "an execution trace of PyTorch (schema 1.0.2-chakra.0.0.4), which states 3 operators and no times");
}

}  // namespace
}  // namespace spillway::testing::execution_traces
