#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <tuple>

#include "measured_files.h"
#include "support/measured_data.h"
#include "traces/formats/trace_format_list.h"
#include "written_file.h"

namespace spillway {
namespace {

using testing::refusals;
using testing::WrittenFile;
using Lines = std::vector<std::string>;

const std::string kHeader = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";

// These rows are a 1F1B job of two stages, two microbatches and one step.
const Lines kRows = {"0,0,0,7,forward-compute,0,1,0,0,0,0",
                     "0,0,0,7,forward-compute,1,1,1,0,1,0",
                     "0,0,0,7,forward-send,1,0.25,0,-1,-1,-1",
                     "0,0,0,7,forward-send,2,0.25,1,-1,-1,-1",
                     "0,1,1,7,forward-recv,0,1.25,0,-1,-1,-1",
                     "0,1,1,7,forward-recv,2,0.25,1,-1,-1,-1",
                     "0,1,1,7,forward-compute,1.5,1,0,0,0,1",
                     "0,1,1,7,backward-compute,2.5,2,0,0,0,1",
                     "0,1,1,7,gc,9,0,0,-1,0,-1",
                     "0,1,1,7,grads-reduce-scatter,9,1,0,0,-1,-1",
                     "0,0,0,7,backward-recv,3,1.5,0,-1,-1,-1",
                     "0,1,1,7,backward-send,4.5,0.25,0,-1,-1,-1",
                     "0,0,0,7,backward-compute,4.75,2,0,0,0,0",
                     "0,0,0,7,optimizer,9,1,0,-1,0,-1"};

std::string text(const Lines& rows) {
  std::string all = kHeader;
  for (const std::string& row : rows) all += row + '\n';
  return all;
}

Trace trace_of(const Lines& rows) {
  const WrittenFile file(text(rows));
  return kStragglerCsv.read(file.path());
}

Lines notes_of(const Trace& trace) {
  Lines notes;
  for (const Note& note : trace.notes) notes.push_back(to_string(note));
  return notes;
}

Lines refusal(const std::string& content) {
  const WrittenFile file(content);
  return refusals([&] { kStragglerCsv.read(file.path()); });
}

Lines refusal_with(const std::string& row) {
  Lines rows = kRows;
  rows.push_back(row);
  return refusal(text(rows));
}

TEST(StragglerCsv, EveryRowBecomesAnEvent) {
  const Trace trace = trace_of(kRows);
  EXPECT_EQ(trace.format, "straggler-analysis");
  EXPECT_EQ(trace.steps, Lines{"7"});
  EXPECT_EQ(trace.events.size(), kRows.size());
  EXPECT_EQ(std::count_if(trace.events.begin(), trace.events.end(),
                          [](const TraceEvent& event) { return event.kind == TraceKind::Host; }),
            2);
  const auto send = std::find_if(trace.events.begin(), trace.events.end(), [](const TraceEvent& event) {
    return event.kind == TraceKind::SendForward && event.microbatch == 1;
  });
  ASSERT_NE(send, trace.events.end());
  EXPECT_EQ(trace.names[send->name], "forward-send");
  EXPECT_EQ(std::make_tuple(send->start, send->duration, send->rank, send->stage),
            std::make_tuple(Seconds(2), Seconds(0.25), 0, 0));
  EXPECT_EQ(notes_of(trace),
            (Lines{"read: 14 rows", "guessed: 6 transfers with the microbatch of their seq_id"}));
}

TEST(StragglerCsv, TheOrderOfRowsDoesNotMatter) {
  const Trace trace = trace_of(kRows);
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    Lines rows = kRows;
    std::shuffle(rows.begin(), rows.end(), random);
    const Trace shuffled = trace_of(rows);
    ASSERT_EQ(shuffled.events.size(), trace.events.size());
    for (std::size_t k = 0; k < trace.events.size(); ++k) {
      TraceEvent event = shuffled.events[k];
      EXPECT_EQ(shuffled.names[event.name], trace.names[trace.events[k].name]);
      event.name = trace.events[k].name;
      EXPECT_EQ(event, trace.events[k]);
    }
  }
}

TEST(StragglerCsv, RowsThatStandTwiceCountOnce) {
  Lines rows = kRows;
  rows.insert(rows.begin(), kRows.begin(), kRows.begin() + 3);
  const Trace trace = trace_of(rows);
  EXPECT_EQ(trace.events.size(), kRows.size());
  EXPECT_EQ(notes_of(trace).back(), "dropped: 3 events that the file holds twice");
}

TEST(StragglerCsv, RowsWithoutSenseAreDroppedAndCounted) {
  Lines rows = kRows;
  rows.insert(rows.begin() + 1,
              {"0,0,0,7,gc,1,-0.5,0,-1,0,-1", "0,0,0,7,gc,nan,1,0,-1,0,-1", "0,0,0,7,gc,1,inf,0,-1,0,-1",
               "0,0,0,7,gc,,1,0,-1,0,-1", "0,0,0,7,gc,1,-1e-9,0,-1,0,-1"});
  const Trace trace = trace_of(rows);
  EXPECT_EQ(trace.events.size(), kRows.size());
  const Lines notes = notes_of(trace);
  EXPECT_EQ(notes[1], "dropped: 2 rows with a negative duration (first at line 3)");
  EXPECT_EQ(notes[2], "dropped: 3 rows without a finite start and duration (first at line 4)");
}

TEST(StragglerCsv, AnUnknownTypeIsHostTime) {
  const Trace trace = trace_of({"0,0,0,7,forward-compute,0,1,0,0,0,0", "0,0,0,7,checkpoint,1,1,0,-1,0,-1",
                                "0,0,0,7,checkpoint,3,1,0,-1,0,-1"});
  EXPECT_EQ(trace.events[1].kind, TraceKind::Host);
  EXPECT_EQ(notes_of(trace)[1],
            "guessed: 2 rows of the unknown type \"checkpoint\" that count as host time (first at line 3)");
}

TEST(StragglerCsv, StepsAreOrderedByTheirNumbers) {
  const Trace trace =
      trace_of({"0,0,0,1000,gc,0,1,0,-1,0,-1", "0,0,0,9,gc,0,2,0,-1,0,-1", "0,0,0,80,gc,0,3,0,-1,0,-1"});
  EXPECT_EQ(trace.steps, (Lines{"9", "80", "1000"}));
  EXPECT_EQ(trace.events[0].duration, Seconds(2));
  EXPECT_EQ(trace.events[2].duration, Seconds(1));
}

TEST(StragglerCsv, TheFirstStartIsZero) {
  const Trace trace =
      trace_of({"0,0,0,7,gc,1700000001,1,0,-1,0,-1", "0,0,0,7,gc,1700000000.5,0.25,0,-1,0,-1"});
  EXPECT_EQ(trace.origin_s, 1700000000.5);
  EXPECT_EQ(trace.events[0].start, Seconds(0));
  EXPECT_EQ(trace.events[1].start, Seconds(0.5));
}

// With several chunks on a rank, seq_id counts over all of them, so the microbatch remains unknown.
TEST(StragglerCsv, WithSeveralChunksTransfersHaveNoMicrobatch) {
  const Trace trace = trace_of({"0,0,0,7,forward-compute,0,1,0,0,0,0", "0,0,0,7,forward-compute,3,1,0,1,0,2",
                                "0,0,0,7,forward-send,1,0.25,0,-1,-1,-1"});
  EXPECT_EQ(trace.events[2].stage, 2);
  EXPECT_EQ(trace.events[1].microbatch, kUnknown);
  EXPECT_EQ(notes_of(trace).back(),
            "missing: 1 transfer without microbatch and chunk, since ranks have several chunks");
}

TEST(StragglerCsv, BrokenRowsAreNamedByLine) {
  EXPECT_EQ(refusal_with("0,0,0,7,gc,9"), Lines{"line 16: expected 11 fields, as in the header, found 6"});
  EXPECT_EQ(refusal_with("0,0,0,7,gc,soon,0,0,-1,0,-1"),
            Lines{"line 16: expected seconds in start_ts, found \"soon\""});
  EXPECT_EQ(refusal_with("0,70000,0,7,gc,9,0,0,-1,0,-1"),
            Lines{"line 16: expected a whole number below 65536 in stage, found \"70000\""});
  EXPECT_EQ(refusal_with("0,0,0,7,gc,9,0,-2,-1,0,-1").size(), 1u);
  EXPECT_EQ(refusal_with("0,0,0,7,gc,9,0,0,-1,0,65536").size(), 1u);
  EXPECT_EQ(refusal_with("x,x,x,7,gc,x,x,x,x,x,x").size(), 9u);
}

TEST(StragglerCsv, AFloodOfBrokenRowsIsCounted) {
  const Lines all = refusal(text(Lines(50, "0,0,0,7")));
  ASSERT_EQ(all.size(), 21u);
  EXPECT_EQ(all[19], "line 21: expected 11 fields, as in the header, found 4");
  EXPECT_EQ(all[20], "/: expected at most 20 violations, found 30 more");
}

TEST(StragglerCsv, MissingColumnsAreNamed) {
  EXPECT_EQ(refusal("dp_rank,stage,rank,step,optype,start_ts,seq_id,mc,mb_id\n0,0,0,7,gc,1,0,0,0\n"),
            (Lines{"line 1: expected a column \"duration\", found none of that name",
                   "line 1: expected a column \"gmc\", found none of that name"}));
}

TEST(StragglerCsv, NothingToReadIsRefused) {
  EXPECT_EQ(refusal(""), Lines{"/: expected a header and rows below it, found the end of the file"});
  EXPECT_EQ(refusal(kHeader),
            Lines{"/: expected a row with finite times and a duration of at least 0, found no rows"});
  EXPECT_EQ(refusal(kHeader + "0,0,0,7,gc,1,-1,0,-1,0,-1\n"),
            Lines{"/: expected a row with finite times and a duration of at least 0, found 1 others"});
}

TEST(StragglerCsv, TwoGlobalRanksInOnePlaceAreRefused) {
  EXPECT_EQ(refusal_with("0,1,5,7,gc,9,0,0,-1,0,-1"),
            Lines{"line 16: expected one rank for each dp_rank and stage, found ranks 1 and 5 of dp_rank 0, "
                  "stage 1"});
}

// The oracle reads the raw tables row by row, and splits and converts fields in the plainest way.
class StragglerRaw : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto path = testing::measured_data(std::string("pipeline_traces/straggler_analysis/trace-") +
                                             GetParam() + ".csv");
    if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    path_ = *path;
  }
  std::string path_;
};

using Row = std::tuple<std::string, std::string, int, int, double, double>;

std::vector<Row> plain_rows(const std::string& path) {
  std::vector<Row> rows;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    Lines all;
    for (std::string one; std::getline(fields, one, ',');) all.push_back(one);
    rows.emplace_back(all[3], all[4], std::stoi(all[0]), std::stoi(all[1]), std::stod(all[5]),
                      std::stod(all[6]));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST_P(StragglerRaw, HasTheRowsOfTheFile) {
  const Trace trace = kStragglerCsv.read(path_);
  std::vector<Row> rows;
  for (const TraceEvent& event : trace.events)
    rows.emplace_back(trace.steps[event.step], trace.names[event.name], event.replica, event.rank,
                      trace.origin_s + event.start.value(), event.duration.value());
  std::sort(rows.begin(), rows.end());
  EXPECT_TRUE(rows == plain_rows(path_));
  EXPECT_EQ(trace.notes.size(), 2u);  // nothing dropped, nothing of an unknown type
}

// A "guessed" transfer relies on this: the k-th transfer of its kind carries microbatch k, and lies between
// the passes that make and need it.
TEST_P(StragglerRaw, TransfersFollowThePassesOfTheirMicrobatch) {
  const Trace trace = kStragglerCsv.read(path_);
  std::map<std::tuple<int, int, int, TraceKind, std::uint32_t>, const TraceEvent*> by_pass;
  for (const TraceEvent& event : trace.events)
    by_pass[{event.step, event.replica, event.rank, event.kind, event.microbatch}] = &event;
  const double clock = 1e-3;
  std::size_t checked = 0;
  for (const TraceEvent& event : trace.events) {
    const auto pass = [&](TraceKind kind) {
      return by_pass.at({event.step, event.replica, event.rank, kind, event.microbatch});
    };
    if (event.kind == TraceKind::SendForward || event.kind == TraceKind::SendBackward) {
      const bool forward = event.kind == TraceKind::SendForward;
      ASSERT_GE(event.start.value(),
                pass(forward ? TraceKind::Forward : TraceKind::Backward)->end().value() - clock);
      ++checked;
    }
    if (event.kind == TraceKind::ReceiveForward || event.kind == TraceKind::ReceiveBackward) {
      const bool forward = event.kind == TraceKind::ReceiveForward;
      ASSERT_LE(event.end().value(),
                pass(forward ? TraceKind::Forward : TraceKind::Backward)->start.value() + clock);
      ++checked;
    }
  }
  EXPECT_EQ(checked, trace.notes[1].count);
}

INSTANTIATE_TEST_SUITE_P(Jobs, StragglerRaw, ::testing::Values("ST", "AR"));

}  // namespace
}  // namespace spillway
