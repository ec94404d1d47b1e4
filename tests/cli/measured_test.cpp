// Commands on measurements: validate, import, calibrate, run --workload.
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "program.h"
#include "support/schema_check.h"

namespace spillway::testing {
namespace {

const char* const kTable = R"({ "schema": "spillway/cases/1", "name": "t", "source": "s",
  "assumptions": ["that much"], "experiment": { "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": 2, "microbatches": 4 },
    "model": { "blocks": [ { "name": "llm", "layers": 2,
      "profile": { "forward_ms": 2, "input_gradient_ms": 2, "weight_gradient_ms": 2 } } ] },
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] },
  "fit": [ { "pointer": "/model/blocks/0/profile/forward_ms", "from": 0.5, "to": 8 } ],
  "cases": [ { "name": "one", "set": {}, "measured_s": 0.035, "fitted": true },
             { "name": "two", "set": { "/pipeline/microbatches": 9 }, "measured_s": 0.05 } ] })";

// The model predicts (M + P - 1)(F + B): 5 x 6 ms for 35 ms measured, and 10 x 6 ms for 50 ms.
TEST_F(Cli, ValidatePrintsTheErrorOfEveryCase) {
  const std::string table = file("t.json", kTable);
  const Outcome text = run("validate " + table);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(std::regex_search(text.out, std::regex("one .*-14\\.3 % +fitted"))) << text.out;
  EXPECT_TRUE(std::regex_search(text.out, std::regex("not fitted, 1 case: mean absolute error 20\\.0 %")))
      << text.out;
  EXPECT_NE(text.out.find("that much"), std::string::npos) << text.out;
  const Outcome json = run("validate " + table + " --json");
  EXPECT_NE(json.out.find("\"schema\": \"spillway/validation-cases/1\""), std::string::npos) << json.out;
  expect_refused("validate workloads/experiments/small.json", "/schema: expected \"spillway/cases/1\"");
}

// The same table in two classes, validated together. Each measured case is ranked nowhere: durations that are
// given name no machine.
TEST_F(Cli, ValidateComparesSeveralTablesByClass) {
  const std::string table = file("t.json", kTable);
  std::string other = kTable;
  other.replace(other.find("\"source\""), 0, "\"class\": \"images\", ");
  const std::string both = "validate " + table + " " + file("u.json", other);
  const Outcome text = run(both);
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* row : {"no class +1 +20\\.0 % +\\+20\\.0 % +1 ", "images +1 +20\\.0 % +\\+20\\.0 % +1 ",
                          "all +2 +20\\.0 % +\\+20\\.0 % +2 "})
    EXPECT_TRUE(std::regex_search(text.out, std::regex(row))) << text.out;
  const auto document = nlohmann::json::parse(run(both + " --json").out);
  EXPECT_EQ(SchemaCheck("validation-tables").complaints(document), "");
  EXPECT_EQ(document["classes"][1]["class"], "images");
  EXPECT_EQ(SchemaCheck("validation-cases").complaints(document["tables"][1]), "");
  expect_refused(both + " --case one", "--case: expected one table of measured steps, found 2 tables");
  expect_refused(both + both.substr(both.rfind(' ')), "MEASURED: expected each table once");
  expect_refused("validate " + table + " workloads/published/traces/straggler-ar.csv",
                 "MEASURED: expected tables of measured steps, or one trace alone");
}

// Two stages, one microbatch. The last backward starts 0.25 s after its gradient arrives, which no replay
// does: the replay takes 7 s instead of 7.25 s.
const char* const kTrace = R"(dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc
0,0,0,7,forward-compute,0,1,0,0,0,0
0,0,0,7,forward-send,1,0.5,0,-1,-1,-1
0,0,0,7,backward-recv,4.5,0.5,0,-1,-1,-1
0,0,0,7,backward-compute,5.25,2,0,0,0,0
0,1,1,7,forward-recv,0.25,1.25,0,-1,-1,-1
0,1,1,7,forward-compute,1.5,1,0,0,0,1
0,1,1,7,backward-compute,2.5,2,0,0,0,1
0,1,1,7,backward-send,4.5,0.5,0,-1,-1,-1
)";

// The experiment of kTable takes 30 ms a step; the log has 20 ms after a step of warm-up.
TEST_F(Cli, ValidateHoldsAPredictionAgainstALog) {
  std::string lines;
  for (const char* time : {"90.0", "20.0", "20.2", "19.8"})
    lines += std::string(" iteration 7") + std::to_string(lines.size()) +
             "/ 9000 | elapsed time per iteration (ms): " + time + " | global batch size: 4 |\n";
  const std::string log = file("train.log", lines);
  const auto table = nlohmann::json::parse(kTable);
  const std::string held = "validate " + log + " --experiment " + file("e.json", table["experiment"].dump());
  const Outcome text = run(held);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(std::regex_search(text.out, std::regex("a +30\\.00 ms +20\\.00 ms +\\+50\\.0 %"))) << text.out;
  const auto document = nlohmann::json::parse(run(held + " --json").out);
  EXPECT_EQ(SchemaCheck("step-log").complaints(document), "");
  EXPECT_EQ(document["steady"]["warm_up_steps"], 1);
  EXPECT_EQ(document["predictions"][0]["holds"], nullptr);  // given durations have no interval
  expect_refused("validate " + log + " --causes", "--causes: expected a table of measured steps");
  expect_refused("validate " + log + " --platform hgx-h100", "--experiment: expected the job");
  expect_refused("validate " + file("us.log", " iteration 1/ 9 | elapsed time per iteration (us): 5 |\n"),
                 "line 1: expected an elapsed time per iteration in ms or s, found \"us\"");
}

TEST_F(Cli, ValidateSaysThatADataParallelProfileIsNoPipeline) {
  const Outcome text = run("validate examples/data-parallel");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("8 of 8 processes"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("pipeline:     none (likely: no annotation names a pass"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("slow ranks:   5"), std::string::npos) << text.out;
  const auto document = nlohmann::json::parse(run("validate examples/data-parallel --json").out);
  EXPECT_EQ(SchemaCheck("profile").complaints(document), "");
  EXPECT_EQ(document["ranks"].size(), 8U);
  EXPECT_EQ(document["predictions"].size(), 0U);
}

TEST_F(Cli, ValidateReplaysATrace) {
  const std::string trace = file("t.csv", kTrace);
  const Outcome text = run("validate " + trace + " --platform platforms/hgx-h100.json");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(std::regex_search(text.out, std::regex("as measured +3\\.448 % +3\\.448 % +-3\\.448 %")))
      << text.out;
  EXPECT_NE(text.out.find("missing: a trace does not name its model"), std::string::npos) << text.out;
  const Outcome json = run("validate " + trace + " --json");
  EXPECT_NE(json.out.find("\"schema\": \"spillway/validation/1\""), std::string::npos) << json.out;
  expect_refused("validate " + trace + " --engine simgrid", "a trace is replayed by the longest path");
}

// One backbone layer per stage, F 1 s, B 2 s, 0.5 s a transfer: the model takes 7 s, without the host gap.
TEST_F(Cli, ValidatePricesATraceByAnExperiment) {
  const std::string trace = file("t.csv", kTrace);
  const std::string experiment = file("e.json", R"({ "schema": "spillway/experiment/1", "name": "x",
    "pipeline": { "ranks": 2, "microbatches": 1 }, "network": { "p2p_ms": 500 },
    "model": { "blocks": [ { "name": "llm", "layers": 2, "profile":
      { "forward_ms": 1000, "input_gradient_ms": 1000, "weight_gradient_ms": 1000 } } ] },
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] })");
  const Outcome outcome = run("validate " + trace + " --experiment " + experiment);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("model +3\\.448 % +3\\.448 % +-3\\.448 %")))
      << outcome.out;
  expect_refused("validate " + file("c.json", kTable) + " --experiment " + experiment, "--experiment");
}

TEST_F(Cli, CalibratePrintsTheValuesThatFit) {
  const Outcome outcome = run("calibrate " + file("t.json", kTable) + " --engine longest-path");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(
      std::regex_search(outcome.out, std::regex("/model/blocks/0/profile/forward_ms = (3\\.00|2\\.99|3\\b)")))
      << outcome.out;
  EXPECT_NE(outcome.out.find("that much"), std::string::npos) << outcome.out;
}

// Two steps of two stages in the format of a straggler trace.
const std::string kStragglerTrace =
    "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"
    "0,0,0,4,forward-compute,0,0.5,0,0,0,0\n"
    "0,0,0,4,forward-send,0.5,0.25,0,-1,-1,-1\n"
    "0,1,1,4,forward-recv,0.5,0.25,0,-1,-1,-1\n"
    "0,1,1,4,forward-compute,0.75,0.5,0,0,0,1\n"
    "0,1,1,4,gc,2,-1,0,-1,0,-1\n"
    "0,0,0,12,forward-compute,0,0.5,0,0,0,0\n"
    "0,0,0,12,optimizer,1,0.5,0,-1,0,-1\n";

TEST_F(Cli, ImportSaysWhatIsInATrace) {
  const std::string path = file("t.csv", kStragglerTrace);
  const Outcome outcome = run("import '" + path + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "straggler-analysis: " + path +
                             "\n"
                             "2 steps: 4, 12; 1.250 s to 1.500 s from first start to last end\n"
                             "1 replica, 2 ranks, 2 stages, 1 microbatch\n"
                             "  events        count     total      mean\n"
                             "  forward           3   1.500 s  500.0 ms\n"
                             "  send-forward      1  250.0 ms  250.0 ms\n"
                             "  recv-forward      1  250.0 ms  250.0 ms\n"
                             "  host              1  500.0 ms  500.0 ms\n"
                             "  stage     pass      mean        p5       p50       p95      most     cv\n"
                             "  0      forward  500.0 ms  500.0 ms  500.0 ms  500.0 ms  500.0 ms  0.000\n"
                             "  1      forward  500.0 ms  500.0 ms  500.0 ms  500.0 ms  500.0 ms  0.000\n"
                             "read: 7 rows\n"
                             "dropped: 1 row with a negative duration (first at line 6)\n"
                             "guessed: 2 transfers with the microbatch of their seq_id\n");
}

TEST_F(Cli, ImportWritesACopyOfSomeSteps) {
  const std::string path = file("t.csv", kStragglerTrace), out = (folder_ / "new" / "out.csv").string();
  const Outcome outcome = run("import '" + path + "' --step 4 --out '" + out + "' --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"schema\": \"spillway/trace/1\""), std::string::npos);
  EXPECT_NE(outcome.out.find("\"dropped: 1 step not asked for\""), std::string::npos);
  const std::string copy = slurp(out);
  EXPECT_NE(copy.find("\nstep,replica,rank,action,start_us,duration_us,name\n"
                      "4,0,0,0F0,0,500000,\n"
                      "4,0,0,0SEND_F0,500000,250000,\n"
                      "4,0,1,1RECV_F0,500000,250000,\n"
                      "4,0,1,1F0,750000,500000,\n"),
            std::string::npos)
      << copy;
  EXPECT_EQ(run("import '" + out + "'").out.find("straggler-analysis"), 0u);
}

TEST_F(Cli, ImportRefusesWhatItCannotRead) {
  const std::string path = file("t.csv", kStragglerTrace), out = (folder_ / "out.csv").string();
  expect_refused("import '" + path + "' --step 5", "--step: expected one of 4, 12, found \"5\"");
  expect_refused("import '" + file("x.csv", "a,b\n1,2\n") + "'", "found a file that begins with \"a,b\"");
  expect_refused("import '" + file("y.csv", kStragglerTrace + "0,0,0,12,gc\n") + "' --out '" + out + "'",
                 "line 9: expected 11 fields, as in the header, found 5");
  const std::string header = kStragglerTrace.substr(0, kStragglerTrace.find('\n') + 1);
  expect_refused("import '" + file("z.csv", header + "0,0,0,12,gc,0,1,0,-1,0,-1\n") + "' --out '" + out + "'",
                 "--out: expected a trace with passes, transfers or collectives");
  EXPECT_FALSE(fs::exists(out));
  expect_refused("import '" + path + "' --out '" + (fs::path(path) / "out.csv").string() + "'",
                 "expected a place that can be written");
}

// Returns a sweep of 5 us and 200 GB/s between two devices of a node, at 17 sizes.
std::string sweep() {
  std::string text = "operation,devices,neighbours,size_bytes,time_us\n";
  for (double bytes = 1024; bytes < 1e8; bytes *= 2)
    text += "send-recv,2,2," + std::to_string(bytes) + "," + std::to_string(5 + bytes / 200e3) + "\n";
  return text;
}

TEST_F(Cli, CalibrateWritesAPlatformThatReadsBack) {
  const std::string measured = file("s.csv", sweep()), out = (folder_ / "mine" / "p.json").string();
  const Outcome outcome = run("calibrate " + measured + " --platform platforms/hgx-h100.json --out " + out +
                              " --against " + measured);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* line :
       {"/tiers/0/latency_us +5 +", "/tiers/0/bandwidth_gbps +200 +",
        "/tiers/1/latency_us: no message between two devices crosses tier cluster",
        "errors on .*/s.csv, by the evidence", "send-recv, 2 devices of node \\(fitted\\) +17 +0.0 %"})
    EXPECT_TRUE(std::regex_search(outcome.out, std::regex(line))) << line << '\n' << outcome.out;
  EXPECT_NE(slurp(out).find("\"interval\""), std::string::npos);
  const std::string wide =
      file("wide.csv", "# devices: 64\n# neighbours: 16\n# operation: all-reduce\nsize_MB,time_us\n1,10\n");
  const Outcome beside =
      run("calibrate " + measured + " --platform platforms/hgx-h100.json --against " + wide);
  EXPECT_NE(beside.out.find("none: the platform prices none of these measurements"), std::string::npos)
      << beside.out;
  const Outcome again = run("calibrate " + measured + " --platform " + out);
  EXPECT_EQ(again.status, 0) << again.err;
}

TEST_F(Cli, CalibrateWritesNothingWhereItRefuses) {
  const std::string bad = file("s.csv", "size_bytes,time_us\n1024,-1\n"), out = (folder_ / "p.json").string();
  expect_refused("calibrate " + bad + " --platform platforms/hgx-h100.json --out " + out,
                 "line 2: expected a time above 0");
  expect_refused(
      "calibrate " +
          file("wide.csv",
               "# devices: 64\n# neighbours: 16\n# operation: all-reduce\nsize_MB,time_us\n1,10\n") +
          " --platform platforms/hgx-h100.json --out " + out,
      "--out: expected measurements to which something can be fitted");
  EXPECT_FALSE(fs::exists(out));
  const std::string good = file("s.csv", sweep());
  expect_refused("calibrate " + good + " " + good + " --platform platforms/hgx-h100.json",
                 "MEASUREMENTS: expected each file once");
  expect_refused("calibrate " + file("s.csv", sweep()), "--platform");
  expect_refused("calibrate " + folder_.string(), "--platform");
}

// Two steps of one replica: 1F1B on two ranks, two microbatches. Passes take 10 ms forward and 20 ms
// backward, transfers 1 ms; the second step takes twice as long. A side posted early includes its wait.
std::string straggler_trace() {
  std::string text = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";
  const auto row = [&](int step, int stage, const char* kind, int microbatch, double start, double ms) {
    const double slow = step == 0 ? 1 : 2;
    std::ostringstream line;
    line << "0," << stage << ',' << stage << ',' << step << ',' << kind << ','
         << 1000 * step + start * slow / 1e3 << ',' << ms * slow / 1e3 << ',' << microbatch << ",0,"
         << microbatch << "," << stage << "\n";
    text += line.str();
  };
  for (int step : {0, 1}) {
    const auto forwards = [&](int stage, int microbatch, double start) {
      row(step, stage, "forward-compute", microbatch, start, 10);
    };
    const auto backwards = [&](int stage, int microbatch, double start) {
      row(step, stage, "backward-compute", microbatch, start, 20);
    };
    const auto moves = [&](const std::string& what, int from, int microbatch, double start) {
      row(step, from, (what + "-send").c_str(), microbatch, start, 1);
      row(step, 1 - from, (what + "-recv").c_str(), microbatch, start, 1);
    };
    forwards(0, 0, 0), moves("forward", 0, 0, 10), forwards(0, 1, 11), moves("forward", 0, 1, 21);
    forwards(1, 0, 11), backwards(1, 0, 22), moves("backward", 1, 0, 42), backwards(0, 0, 43);
    forwards(1, 1, 43), backwards(1, 1, 53), moves("backward", 1, 1, 73), backwards(0, 1, 74);
  }
  return text;
}

TEST_F(Cli, AWorkloadTraceIsAnExperiment) {
  const std::string trace = file("job.csv", straggler_trace()), out = (folder_ / "out").string();
  const std::string add = " --set '/schedules/-={\"name\": \"g\", \"schedule\": \"gpipe\"}'";
  const Outcome outcome = run("run --workload " + trace + add + " --engine longest-path --out " + out);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("measured"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("spread evenly over the layers"), std::string::npos) << outcome.out;
  ASSERT_TRUE(fs::exists(folder_ / "out/experiment.json"));
  const std::string again = " --engine longest-path --json";
  const std::string json = run("run --workload " + trace + again + add).out;
  // The written document warns of keys without effect. The trace does not, because nobody wrote them there.
  const auto without_host_times = [](const std::string& text) {
    static const std::regex varying(
        "\"(derive_s|longest_path_s)\": [^,\n}]*|\"warnings\": \\[(\\]|[^\\]]*no-effect[^\\]]*\\])");
    return std::regex_replace(text, varying, "");
  };
  EXPECT_EQ(without_host_times(json), without_host_times(run("run " + out + "/experiment.json" + again).out));
}

TEST_F(Cli, AWorkloadTraceTakesAnExperimentOverIt) {
  const std::string trace = file("job.csv", straggler_trace());
  const std::string twice = file("twice.json", R"({"name": "twice", "pipeline": {"microbatches": 4},
                                                  "schedules": [{"name": "g", "schedule": "gpipe"}]})");
  const Outcome outcome = run("run " + twice + " --workload " + trace + " --engine longest-path --draws 3");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string other = file("other.json", R"({"model": {"blocks": [{"name": "llm"}]}})");
  expect_refused("run " + other + " --workload " + trace, "/model/blocks: expected 2 blocks");
  expect_refused("run --workload " + kSmall, kSmall);
}

// Calibrate can score a platform without fitting. Measurements that yield nothing give exit status 3.
TEST_F(Cli, CalibrateScoresAPlatformAsItIs) {
  const std::string measured = file("s.csv", sweep());
  const Outcome scored = run("calibrate --platform platforms/hgx-h100.json --against " + measured);
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_NE(scored.out.find("unchanged"), std::string::npos) << scored.out;
  EXPECT_NE(scored.out.find("errors on "), std::string::npos) << scored.out;
  expect_refused("calibrate --platform platforms/hgx-h100.json", "--platform and --against alone");
  const std::string one = file("one.csv", "size_bytes,time_us,operation,devices\n1024,10,all-reduce,8\n");
  EXPECT_EQ(run("calibrate " + one + " --platform platforms/hgx-h100.json").status, 3);
}

TEST_F(Cli, CalibrateTakesAShippedPlatformByName) {
  const std::string measured = file("s.csv", sweep());
  const Outcome named = run("calibrate " + measured + " --platform hgx-h100");
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(named.out, run("calibrate " + measured + " --platform platforms/hgx-h100.json").out);
  const std::string wide =
      file("wide.csv", "# devices: 64\n# operation: all-reduce\nsize_MB,time_us\n1,10\n");
  expect_refused("calibrate " + wide + " --platform hgx-h100",
                 "the number of devices in a node of HGX H100, which holds 8 (--per-node)");
  expect_refused("calibrate " + measured + " --platform hgx-h1000", "hgx-h1000");
}

TEST_F(Cli, ImagesTakeAModelsRule) {
  const std::string list = file("list.csv", "name;Height;Width\nx;500;1000\n");
  const Outcome tiles = run("images " + list + " --rule internvl --json");
  EXPECT_NE(tiles.out.find("\"p50\": 3072"), std::string::npos) << tiles.out << tiles.err;
  const Outcome of_model = run("images " + list + " --rule tests/input/configs/internvl3-8b.json --json");
  EXPECT_EQ(of_model.out, tiles.out);
  expect_refused("images " + list + " --rule clip", "--rule: expected qwen2-vl, qwen2.5-vl");
}

}  // namespace
}  // namespace spillway::testing
