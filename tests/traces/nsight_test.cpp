// Reports of Nsight Systems. Python's sqlite3 makes their tables as the export's documentation describes
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "support/temporary_folder.h"
#include "trace_files.h"
#include "traces/formats/read_trace.h"
#include "traces/pipeline/measured_job.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

// Two processes of a node run 1F1B of two ranks and two microbatches twice. Each range launches one kernel,
// at its middle, that runs for as long as the range and ends 1 us after it.
constexpr const char* kNsightWriter = R"(
import sqlite3, sys
path, columns = sys.argv[1], sys.argv[2]
epoch, node = (int(word) for word in (sys.argv[3:5] or ('1700000000000000000', '0')))
db = sqlite3.connect(path)
text = 'text TEXT, textId INTEGER' if columns == 'new' else 'text TEXT'
db.execute(f'CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, {text}, globalTid INTEGER)')
db.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)')
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, '
           'correlationId INTEGER, globalPid INTEGER, shortName INTEGER)')
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER)')
db.executemany('INSERT INTO StringIds VALUES (?, ?)', [(1, 'gemm'), (2, 'ncclDevKernel_SendRecv'), (3, 'epoch 1')])
order = {0: ['F0', 'F1', 'B0', 'B1'], 1: ['F0', 'B0', 'F1', 'B1']}
at = {0: {'F0': 0, 'F1': 10, 'B0': 40, 'B1': 60}, 1: {'F0': 10, 'B0': 20, 'F1': 40, 'B1': 50}}
correlation = 0
for rank, pid in ((0, 700), (1, 701)):
    process = (1 << 48) + (pid + 2 * node << 24)
    for step in range(2):
        for name in order[rank]:
            start = (step * 100 + at[rank][name]) * 1000
            end = start + 10_000
            row = (start, end, 59, f'PP:{2 * node + rank}{name}, seq = 3')
            db.execute('INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?' + (', NULL' if columns == 'new' else '') + ', ?)', row + (process + pid,))
            if columns == 'bare': continue
            correlation += 1
            thread = process + (pid if 'F' in name else 9)  # a backward is launched by another thread
            db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?)', (start + 5000, start + 6000, thread, correlation))
            db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)', (start + 1000, end + 1000, correlation, process))
if columns == 'new':
    db.execute('INSERT INTO NVTX_EVENTS VALUES (0, 5, 59, NULL, 3, ?)', ((1 << 48) + (700 << 24),))
    db.execute('INSERT INTO NVTX_EVENTS VALUES (0, NULL, 34, NULL, 3, ?)', ((1 << 48) + (700 << 24),))
    db.execute('CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)')
    db.execute('INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?)', (epoch,))
db.commit()
)";

class Nsight : public ::testing::Test {
 protected:
  std::string report(const std::string& columns, const std::string& name = "r.sqlite") const {
    const std::string script = measured_file("nsight.py", kNsightWriter), path = (folder_ / name).string();
    EXPECT_EQ(std::system(("python3 '" + script + "' '" + path + "' " + columns).c_str()), 0);
    return path;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

Texts passes_of_step(const Trace& trace, std::uint32_t step) {
  Texts all;
  for (const TraceEvent& event : trace.events)
    if (is_compute(event.kind) && event.step == step) all.push_back(text(event));
  return all;
}

// Times count from the first event, the annotation at 0.
TEST_F(Nsight, PassesAreTheKernelsLaunchedInTheirRanges) {
  const Trace trace = read_trace(report("new"));
  EXPECT_EQ(trace.format, "nsight-systems");
  EXPECT_EQ(trace.steps, (Texts{"0", "1"}));
  EXPECT_NEAR(trace.origin_s, 1.7e9, 1e-3);
  EXPECT_EQ(passes_of_step(trace, 0),
            (Texts{"forward r0 s0 m0 1+10", "forward r0 s0 m1 11+10", "backward r0 s0 m0 41+10",
                   "backward r0 s0 m1 61+10", "forward r1 s1 m0 11+10", "backward r1 s1 m0 21+10",
                   "forward r1 s1 m1 41+10", "backward r1 s1 m1 51+10"}));
  EXPECT_EQ(texts(trace.notes), (Texts{"guessed: ranks of the pipeline, by the stages that each process runs",
                                       "guessed: 2 steps: a repeated pass begins the next step"}));
  const MeasuredJob job = measured_job(trace.files.front());
  EXPECT_EQ(job.schedule.schedule, "1f1b");
}

TEST_F(Nsight, OlderColumnsAndNoKernels) {
  const Trace old = read_trace(report("old", "a.sqlite"));
  EXPECT_EQ(passes_of_step(old, 1).size(), 8u);
  const Trace bare = read_trace(report("bare", "b.sqlite"));
  EXPECT_EQ(passes_of_step(bare, 0).front(), "forward r0 s0 m0 0+10");
  EXPECT_EQ(texts(bare.notes).back(),
            "guessed: 16 passes with the host's times, since no kernel is known to be launched in them");
}

TEST_F(Nsight, AFolderHasAReportOfEachNode) {
  report("new", "node-0.sqlite");
  const Trace trace = read_trace(folder_.string());
  EXPECT_EQ(trace.files.size(), 1u);
  EXPECT_EQ(passes_of_step(trace, 0).size(), 8u);
}

// Each report counts time from its own beginning. The second node's report begins 250 us after the first
// one's, and so do all its events. It has stages 2 and 3.
TEST_F(Nsight, ReportsOfOtherEpochsAreOfOneTime) {
  report("new 1700000000000000000 0", "node-0.sqlite");
  report("new 1700000000000250000 1", "node-1.sqlite");
  const Trace trace = read_trace(folder_.string());
  std::map<std::uint32_t, std::vector<long>> starts;  // of the first step's passes, by stage
  for (const TraceEvent& event : trace.events)
    if (is_compute(event.kind) && event.step == 0)
      starts[event.stage].push_back(std::lround(event.start.value() * 1e6));
  ASSERT_EQ(starts.size(), 4u);
  for (const std::uint32_t stage : {0u, 1u})
    for (std::size_t i = 0; i < starts[stage].size(); ++i)
      EXPECT_EQ(starts[stage + 2][i], starts[stage][i] + 250) << stage;
}

// A view may have endless rows, and a name lookup without an index walks through the table: both are refused.
TEST_F(Nsight, WhatIsNoReadingOfTablesIsRefused) {
  const std::string path = (folder_ / "view.sqlite").string();
  const std::string script = measured_file("view.py", R"(
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT 1 AS start, 2 AS end, 'PP:0F0' AS text, 0 AS globalTid FROM n")
db.commit()
db = sqlite3.connect(sys.argv[2])
db.execute('CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, textId INTEGER)')
db.execute('CREATE TABLE StringIds (id INTEGER, value TEXT)')
db.executemany('INSERT INTO NVTX_EVENTS VALUES (?, ?, -1)', ((i, i + 1) for i in range(20000)))
db.executemany('INSERT INTO StringIds VALUES (?, ?)', ((i, 'a') for i in range(20000)))
db.commit()
)");
  const std::string product = (folder_ / "product.sqlite").string();
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + path + "' '" + product + "'").c_str()), 0);
  EXPECT_EQ(violation_of([&] { read_trace(path); }).found, "a database with neither");
  EXPECT_EQ(violation_of([&] { read_trace(product); }).expected,
            "tables whose reading time is proportional to their size");
}

TEST_F(Nsight, OtherDatabasesAndReportsAreRefused) {
  const std::string path = (folder_ / "other.sqlite").string();
  ASSERT_EQ(std::system(("python3 -c \"import sqlite3; d = sqlite3.connect('" + path +
                         "'); d.execute('CREATE TABLE points (a)'); d.commit()\"")
                            .c_str()),
            0);
  EXPECT_EQ(violation_of([&] { read_trace(path); }).found, "a database with neither");
  std::filesystem::resize_file(path, 1000);
  EXPECT_EQ(violation_of([&] { read_trace(path); }).expected, "an SQLite database that can be read");
  EXPECT_EQ(violation_of([&] { read_trace(measured_file("a.nsys-rep", "\x01\x02 report")); }).found,
            "a report in Nsight Systems' own format: convert it with nsys export --type sqlite");
}

}  // namespace
}  // namespace spillway::testing
