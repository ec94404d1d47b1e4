#include "trace_files.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_format_list.h"

namespace spillway::testing {
namespace {

TEST(ChromeTraceFile, OneOfNobodyIsRefusedWithWhatItHolds) {
  const std::string path = measured_file(
      "other.json",
      R"({"traceEvents":[{"ph":"X","name":"RunTask","cat":"toplevel","ts":1,"dur":1},{"name":"b"}]})");
  EXPECT_EQ(violation_of([&] { read_trace(path); }).found, "2 events, the first named RunTask, b");
  EXPECT_EQ(violation_of([&] { read_trace(measured_file("none.json", "[]")); }).found, "0 events");
}

TEST(ChromeTraceFile, OneWithoutAnythingOfUseIsRefusedWithWhatWasDropped) {
  const std::string path = measured_file(
      "host.json",
      R"([{"ph":"X","name":"aten::mm","cat":"cpu_op","ts":1,"dur":1},{"ph":"X","cat":"kernel","ts":1}])");
  EXPECT_EQ(
      violation_of([&] { read_trace(path); }).found,
      "none after dropped: 1 event of category cpu_op (the first is event 1), dropped: 1 event without a "
      "duration (the first is event 2)");
}

TEST(ChromeTraceFile, OneCutInTheMiddleIsRefusedWithTheOffset) {
  const std::string path = measured_file(
      "cut.json", R"({"traceEvents":[{"ph":"X","name":"k","cat":"kernel","ts":1,"dur":1},{"ph":)");
  EXPECT_EQ(violation_of([&] { read_trace(path); }).pointer, "byte 74");
}

// Chrome allows a missing last bracket, and a program that was stopped leaves such a file.
TEST(ChromeTraceFile, OneWithoutItsLastBracketIsReadAndSaid) {
  const std::string kineto = R"([{"ph":"X","name":"k","cat":"kernel","tid":7,"ts":1,"dur":1})";
  const std::string own =
      R"x([{"ph":"X","name":"Fwd(llm,0,1)","pid":0,"tid":0,"ts":1,"dur":1,"args":{"replica":0,"rank":0,"microbatch":1,"stage":0}})x";
  const std::string ascend =
      R"([{"ph":"M","name":"process_name","pid":4,"args":{"name":"Ascend Hardware"}},
          {"ph":"X","name":"MatMulV2","pid":4,"tid":11,"ts":1,"dur":1})";
  for (const std::string& text : {kineto, own, ascend}) {
    const Trace trace = read_trace(measured_file("open.json", text));
    EXPECT_EQ(trace.events.size(), 1U) << trace.format;
    EXPECT_EQ(texts(trace.notes)[0], "guessed: the array of events has no end; all events are used");
  }
}

TEST(ChromeTraceFolder, HoldsProfilesOfPyTorchOnly) {
  const std::string folder =
      std::filesystem::path(measured_file("mixed/a.json", R"([{"ph":"B","name":"forward","ts":1}])"))
          .parent_path();
  EXPECT_TRUE(kKinetoFolder.is_of(folder));
  EXPECT_EQ(violation_of([&] { kKinetoFolder.read(folder); }).found, "a trace of another kind");
  const std::string empty = std::filesystem::path(measured_file("empty/a.csv", "1")).parent_path();
  EXPECT_FALSE(kKinetoFolder.is_of(empty));
  EXPECT_EQ(violation_of([&] { read_trace(empty); }).found, "a folder of another kind");
}

}  // namespace
}  // namespace spillway::testing
