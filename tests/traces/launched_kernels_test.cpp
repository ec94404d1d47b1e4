#include "traces/samples/launched_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "traces/events/trace.h"
#include "traces/formats/kineto_names.h"
#include "traces/written_file.h"

namespace spillway {
namespace {

using testing::WrittenFile;

std::string range(const std::string& name, int from, int duration) {
  return R"({"ph": "X", "cat": "user_annotation", "name": ")" + name + R"(", "ts": )" + std::to_string(from) +
         R"(, "dur": )" + std::to_string(duration) + R"(, "args": {}})";
}

std::string launch(int correlation, int at) {
  return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": )" + std::to_string(at) +
         R"(, "dur": 1, "args": {"correlation": )" + std::to_string(correlation) + "}}";
}

std::string kernel(int correlation, int from, int duration, const std::string& name = "gemm") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "ts": )" + std::to_string(from) +
         R"(, "dur": )" + std::to_string(duration) + R"(, "args": {"stream": 7, "grid": [4, 2, 1], )" +
         R"("correlation": )" + std::to_string(correlation) + "}}";
}

std::string list_of(const std::vector<std::string>& events) {
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() > 1 ? ",\n" : "") + event;
  return text + "]";
}

std::string document(const std::vector<std::string>& events) {
  return R"({"deviceProperties": [{"name": "H800", "computeMajor": 9}], "traceEvents": )" + list_of(events) +
         "}";
}

LaunchedKernels read_launched(const std::string& text) {
  return read_launched_kernels(WrittenFile(text, "launched.json").path());
}

TEST(LaunchedKernels, BelongToTheInnermostRangeOpenAtTheirLaunch) {
  const LaunchedKernels run = read_launched(document(
      {range("1F1B", 100, 100), range("attn(F)", 110, 20), range("mlp(F)", 140, 20), kernel(1, 500, 30),
       kernel(2, 530, 10, "other"), kernel(3, 540, 10), launch(1, 115), launch(2, 135), launch(3, 160)}));
  EXPECT_EQ(run.device, "H800");
  ASSERT_EQ(run.kernels.size(), 3u);
  const auto range_of = [&](std::size_t i) { return run.ranges[run.kernels[i].range].name; };
  EXPECT_EQ(range_of(0), "attn(F)");
  EXPECT_EQ(range_of(1), "1F1B");
  EXPECT_EQ(range_of(2), "mlp(F)");
  EXPECT_EQ(run.names[run.kernels[1].name], "other");
  EXPECT_EQ(run.kernels[0].name, run.kernels[2].name);
  EXPECT_EQ(run.kernels[0].grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_NEAR((run.kernels[0].end - run.kernels[0].start).value(), 30e-6, 1e-12);
  EXPECT_TRUE(run.notes.empty());
}

TEST(LaunchedKernels, ABareListOfEventsReadsAlike) {
  const std::vector<std::string> events = {range("attn(F)", 0, 9), launch(1, 5), kernel(1, 6, 7)};
  const LaunchedKernels bare = read_launched(list_of(events)), whole = read_launched(document(events));
  ASSERT_EQ(bare.kernels.size(), 1u);
  EXPECT_EQ(bare.kernels[0].start, whole.kernels[0].start);
  EXPECT_EQ(bare.kernels[0].range, whole.kernels[0].range);
}

TEST(LaunchedKernels, WhatIsMissingOrSenselessIsCounted) {
  const LaunchedKernels run =
      read_launched(document({range("attn(F)", 0, 9), launch(1, 5), kernel(1, 6, 7), kernel(2, 20, 3),
                              kernel(3, 30, -4), launch(4, 50), kernel(4, 60, 1)}));
  std::vector<std::string> notes;
  for (const Note& note : run.notes) notes.push_back(to_string(note));
  EXPECT_EQ(notes, (std::vector<std::string>{"dropped: 1 event without a time or with a negative duration",
                                             "missing: 1 kernel whose launch is not in the file",
                                             "missing: 1 kernel launched outside any annotated range"}));
  ASSERT_EQ(run.kernels.size(), 3u);
  EXPECT_FALSE(run.kernels[0].launch);
  EXPECT_EQ(run.kernels[0].range, kUnknown);
}

TEST(LaunchedKernels, TruncatedOrEmptyFilesAreRefused) {
  const std::string whole = document({launch(1, 5), kernel(1, 6, 7)});
  try {
    read_launched(whole.substr(0, whole.size() - 10));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(error.violations()[0].pointer.starts_with("byte ")) << error.what();
  }
  EXPECT_THROW(read_launched(""), InputError);
  EXPECT_THROW(read_launched(document({launch(1, 5)})), InputError);
}

TEST(LaunchedKernels, CommunicationIsToldByTheKernelsName) {
  EXPECT_TRUE(is_communication_kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"));
  EXPECT_TRUE(is_communication_kernel("void deep_ep::internode::combine<false, 8>(int4*)"));
  EXPECT_FALSE(is_communication_kernel("void at::native::vectorized_elementwise_kernel<4>()"));
}

}  // namespace
}  // namespace spillway
