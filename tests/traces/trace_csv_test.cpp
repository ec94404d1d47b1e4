#include "traces/formats/trace_csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "measured_files.h"
#include "support/measured_data.h"
#include "support/property.h"
#include "traces/formats/trace_format_list.h"
#include "written_file.h"

namespace spillway {
namespace {

using testing::refusals;
using testing::WrittenFile;
using Lines = std::vector<std::string>;

std::string written(const Trace& trace) {
  std::ostringstream out;
  write_trace_csv(out, trace);
  return out.str();
}

Trace read(const std::string& text) {
  const WrittenFile file(text);
  return read_trace_csv(file.path());
}

Lines refusal_of_csv(const std::string& text) {
  return refusals([&] { read(text); });
}

const std::string kHead =
    "# spillway/trace/1 origin_s=0 format=megatron\n"
    "step,replica,rank,action,start_us,duration_us,name\n";

std::string name_of(const Trace& trace, const TraceEvent& event) {
  return event.kind == TraceKind::Collective ? trace.names[event.name] : std::string(to_string(event.kind));
}

// Checks that the events are the same, with times to a tenth of a microsecond.
void expect_same(const Trace& read, const Trace& trace) {
  EXPECT_EQ(read.format, trace.format);
  EXPECT_EQ(read.origin_s, trace.origin_s);
  EXPECT_EQ(read.steps, trace.steps);
  ASSERT_EQ(read.events.size(), trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent &a = read.events[i], &b = trace.events[i];
    ASSERT_EQ(std::make_tuple(a.step, a.replica, a.rank, a.stage, a.kind, a.microbatch),
              std::make_tuple(b.step, b.replica, b.rank, b.stage, b.kind, b.microbatch));
    ASSERT_NEAR(a.start.value(), b.start.value(), 0.051e-6);
    ASSERT_NEAR(a.duration.value(), b.duration.value(), 0.101e-6);
    ASSERT_EQ(read.names[a.name], name_of(trace, b));
  }
}

Trace sample() {
  Trace trace;
  trace.format = "kineto";
  trace.files = {"runs/rank0.json.gz", "runs/rank1.json.gz"};
  trace.origin_s = 1700000000.25;
  trace.steps = {"ProfilerStep#3", "a, b"};
  trace.names = {"fwd", "ncclKernel_ReduceScatter<f, g>(x)", "gemm"};
  trace.events = {
      {Seconds(1.5), Seconds(0.25), 0, 0, 0, 0, 0, 0, 0, TraceKind::Forward},
      {Seconds(1.75), Seconds(0), 0, kUnknown, 0, 0, 0, 0, 0, TraceKind::SendForward},
      {Seconds(1.75000123), Seconds(0.1234567), 0, 12, 0, 3, 1, 5, 0, TraceKind::BackwardWeight},
      {Seconds(3.5), Seconds(0.5), 1, kUnknown, 1, 3, 1, 5, 0, TraceKind::Collective},
  };
  trace.notes = {{NoteKind::Dropped, 3, "rows of another kind"}, {NoteKind::Read, 0, "source: somewhere"}};
  return trace;
}

TEST(TraceCsv, IsATableThatAPersonCanRead) {
  EXPECT_EQ(written(sample()),
            "# spillway/trace/1 origin_s=1700000000.25 format=kineto\n"
            "# read: compact copy of rank0.json.gz and 1 more\n"
            "# dropped: 3 rows of another kind\n"
            "# read: source: somewhere\n"
            "# step \"ProfilerStep#3\" at 1.5\n"
            "# step \"a, b\" at 3.5\n"
            "step,replica,rank,action,start_us,duration_us,name\n"
            "\"ProfilerStep#3\",0,0,0F0,0,250000,\n"
            "\"ProfilerStep#3\",0,0,0SEND_F,250000,0,\n"
            "\"ProfilerStep#3\",3,1,5W12,250001.2,123456.7,\n"
            "\"a, b\",3,1,5COLLECTIVE,0,500000,\"ncclKernel_ReduceScatter<f, g>(x)\"\n");
}

TEST(TraceCsv, ReadsWhatItWrote) {
  const Trace trace = sample();
  const Trace again = read(written(trace));
  expect_same(again, trace);
  ASSERT_EQ(again.notes.size(), trace.notes.size() + 1);
  EXPECT_EQ(again.notes[0], (Note{NoteKind::Read, 0, "compact copy of rank0.json.gz and 1 more"}));
  EXPECT_EQ(again.notes[1], trace.notes[0]);
  EXPECT_EQ(again.notes[2], trace.notes[1]);
}

TEST(TraceCsv, NamesItsScheduleIfTheWriterKnowsIt) {
  Trace trace = sample();
  trace.schedule = "mpipe 1f1b,1f1b";
  EXPECT_NE(written(trace).find("\n# schedule mpipe 1f1b,1f1b\n"), std::string::npos) << written(trace);
  EXPECT_EQ(read(written(trace)).schedule, trace.schedule);
  EXPECT_EQ(read(written(sample())).schedule, "");
}

TEST(TraceCsv, WhatAPipelineDoesNotNeedIsLeftOutAndCounted) {
  Trace trace = sample();
  trace.events.push_back({Seconds(3.5), Seconds(9), 1, kUnknown, 2, 3, 1, 5, 4, TraceKind::Kernel});
  const Trace again = read(written(trace));
  EXPECT_EQ(again.events.size(), sample().events.size());
  EXPECT_EQ(to_string(again.notes.back()), "dropped: 1 event without computing or transfers");
}

// Names of collectives come from other programs: no character in a name breaks a row.
TEST(TraceCsv, ANameCannotBreakARow) {
  Trace trace = sample();
  trace.names[1] = "a\"b\",\nc";
  const Trace again = read(written(trace));
  EXPECT_EQ(again.names[again.events.back().name], "a'b', c");
}

RC_GTEST_PROP(TraceCsvLaw, AnEventReadsAsItWasWritten, ()) {
  Trace trace = sample();
  TraceEvent& event = trace.events.back();
  event.kind = static_cast<TraceKind>(*rc::gen::inRange(0, 9));
  event.replica = *rc::gen::arbitrary<std::uint16_t>();
  event.replica = std::max<std::uint16_t>(event.replica, 3);
  event.rank = std::max<std::uint16_t>(*rc::gen::arbitrary<std::uint16_t>(), 1);
  event.stage = *rc::gen::arbitrary<std::uint16_t>();
  event.microbatch = *rc::gen::arbitrary<std::uint32_t>();
  event.start = microseconds(0.01 * *rc::gen::inRange(0, 1'000'000'000));
  event.duration = microseconds(0.01 * *rc::gen::inRange(0, 1'000'000'000));
  expect_same(read(written(trace)), trace);
  RC_ASSERT(written(read(written(trace))).find("5W12,250001.2,123456.7,") != std::string::npos);
}

// Rounding leaves consecutive events consecutive, without overlap.
RC_GTEST_PROP(TraceCsvLaw, WhatFollowedEachOtherStillDoes, ()) {
  Trace trace = sample();
  trace.events.clear();
  Seconds now(0);
  for (int i = 0; i < 20; ++i) {
    const Seconds duration = microseconds(0.001 * *rc::gen::inRange(0, 100'000));
    trace.events.push_back(
        {now, duration, 0, static_cast<std::uint32_t>(i), 0, 0, 0, 0, 0, TraceKind::Forward});
    now += duration;
  }
  trace.steps = {"0"};
  const Trace again = read(written(trace));
  RC_ASSERT(again.events.size() == trace.events.size());
  for (std::size_t i = 1; i < again.events.size(); ++i)
    RC_ASSERT(std::abs((again.events[i].start - again.events[i - 1].end()).value()) < 1e-12);
}

TEST(TraceCsv, BrokenRowsAreNamedByLine) {
  EXPECT_EQ(
      refusal_of_csv(kHead + "0,0,0,0F0,1\n0,0,0,F0,1,1,\n0,0,0,0X0,1,1,\n0,0,0,0F0,1,-1,\n0,0,0,7,1,1,\n"),
      (Lines{"line 3: expected 7 fields, as in the header, found 5",
             "line 4: expected stage, F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, COLLECTIVE or OPTIMIZER, "
             "microbatch in action, found \"F0\"",
             "line 5: expected stage, F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, COLLECTIVE or OPTIMIZER, "
             "microbatch in action, found \"0X0\"",
             "line 6: expected microseconds, at least 0, in duration_us, found \"-1\"",
             "line 7: expected stage, F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, COLLECTIVE or OPTIMIZER, "
             "microbatch in action, found \"7\""}));
  EXPECT_EQ(refusal_of_csv(kHead), Lines{"/: expected a row for each event, found no rows"});
}

TEST(TraceCsv, ABrokenHeadIsNamed) {
  const std::string columns = kHead.substr(kHead.find('\n') + 1), row = "0,0,0,0F0,1,1,\n";
  EXPECT_EQ(refusal_of_csv("# spillway/trace/1 format=x\n" + columns + row).size(), 1u);
  EXPECT_EQ(refusal_of_csv("# spillway/trace/1 origin_s=0 format=\n" + columns + row).size(), 1u);
  EXPECT_EQ(refusal_of_csv("# spillway/trace/1 origin_s=inf format=x\n" + columns + row).size(), 1u);
  EXPECT_EQ(refusal_of_csv("# spillway/trace/1 origin_s=0 format=x\n# step 3\n" + columns + row),
            Lines{"# above the header: expected step NAME at SECONDS, found \"# step 3\""});
  EXPECT_EQ(refusal_of_csv(columns + row).size(), 1u);
}

class TraceCsvRaw : public ::testing::TestWithParam<const char*> {};

TEST_P(TraceCsvRaw, KeepsAProductionJob) {
  const auto path =
      testing::measured_data(std::string("pipeline_traces/straggler_analysis/trace-") + GetParam() + ".csv");
  if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  Trace trace = kStragglerCsv.read(*path);
  std::erase_if(trace.events, [](const TraceEvent& event) { return event.kind == TraceKind::Host; });
  expect_same(read(written(trace)), trace);
}

INSTANTIATE_TEST_SUITE_P(Jobs, TraceCsvRaw, ::testing::Values("ST", "AR"));

// Every place at which a file may be cut inside of its last line.
TEST(TraceCsv, ThatWasCutInItsLastLineIsRefused) {
  const std::string text = kHead + "0,0,0,0F0,1,2,\n0,0,0,0COLLECTIVE,3,4,grads\n";
  EXPECT_TRUE(refusal_of_csv(text).empty());
  const std::size_t last = text.rfind("0,0,0,0C");
  for (std::size_t end = last + 1; end < text.size(); ++end)
    EXPECT_NE(refusal_of_csv(text.substr(0, end)).back().find("line 4: expected an end of the last line"),
              std::string::npos)
        << text.substr(0, end);
}

TEST(TraceCsv, HoldsOptimizers) {
  const Trace trace = read(kHead + "0,0,1,1OPTIMIZER,5,7,\n");
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].kind, TraceKind::Optimizer);
  EXPECT_EQ(trace.events[0].stage, 1);
  EXPECT_NE(written(trace).find("0,0,1,1OPTIMIZER,0,7,"), std::string::npos) << written(trace);
}

}  // namespace
}  // namespace spillway
