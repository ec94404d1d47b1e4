// The program as its user meets it: exit status, standard output, standard error, files.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = SPILLWAY_SOURCE_DIR;

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("spillway-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome run(const std::string& arguments) const {
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    const std::string command = "cd '" + kSource.string() + "' && '" SPILLWAY_PROGRAM "' >'" + out.string() +
                                "' " + arguments + " 2>'" + err.string() + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
  }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  // Bad input: exit status 2, an empty standard output, the file and the place named.
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }

  fs::path folder_;
};

const std::string kSmall = "workloads/experiments/small.json";

TEST_F(Cli, EveryCommandHasHelpWithAnExample) {
  for (const char* command : {"run", "derive", "images", "import", "schema"}) {
    const Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example: spillway " + std::string(command)), std::string::npos) << help.out;
  }
}

TEST_F(Cli, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run("").status, 2);
  expect_refused("fly", "fly");
  expect_refused("run " + kSmall + " --seed -1", "--seed");
  EXPECT_EQ(run("run").status, 2);
  EXPECT_EQ(run("run " + kSmall + " --wings").status, 2);
  expect_refused("run " + kSmall + " --engine steam",
                 "--engine: expected longest-path, max-plus or simgrid, found \"steam\"");
  expect_refused("run " + kSmall + " --set pipeline", "--set: expected /json/pointer=value");
  expect_refused("derive " + kSmall + " --schedule x",
                 "--schedule: expected one of mpipe, baseline, found \"x\"");
  expect_refused("derive " + kSmall + " --format pdf", "--format: expected text, json, dot, graphml or csv");
  expect_refused("schema report2",
                 "expected cases, experiment, platform, report, validation or validation-cases");
}

TEST_F(Cli, JsonIsOneDocumentAndNothingElse) {
  const Outcome outcome = run("run " + kSmall + " --json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.front(), '{');
  EXPECT_EQ(outcome.out.substr(outcome.out.size() - 2), "}\n");
}

std::string without_host_times(const std::string& report) {
  return std::regex_replace(report, std::regex("\"simulation\":[^}]*\\}"), "");
}

TEST_F(Cli, SameInputGivesSameBytes) {
  const std::string command = "run workloads/experiments/experiment-a.json --draws 3 --json";
  const std::string first = without_host_times(run(command).out);
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(first, without_host_times(run(command).out));
}

TEST_F(Cli, DrawsTurnFiguresIntoSpreads) {
  const Outcome outcome =
      run("run workloads/experiments/experiment-a.json --draws 4 --json --engine longest-path");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* key : {"\"mean\"", "\"p5\"", "\"p50\"", "\"p95\"", "\"p99\"", "\"ci95\""}) {
    EXPECT_NE(outcome.out.find(key), std::string::npos) << key;
  }
}

TEST_F(Cli, OutHoldsAReportAndATracePerSchedule) {
  const Outcome outcome = run("run " + kSmall + " --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"report.json", "mpipe.trace.json", "baseline.trace.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(Cli, SchedulesOfAnyNameKeepTheirOwnTraces) {
  const Outcome outcome = run("run " + kSmall + " --set '/schedules/0/name=a b' --set /schedules/1/name=a/b" +
                              " --set /baseline=a/b --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"a%20b.trace.json", "a%2Fb.trace.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(Cli, UnwritableOutIsNamed) {
  file("plain", "not a folder");
  expect_refused("run " + kSmall + " --out '" + (folder_ / "plain" / "out").string() + "'", "plain/out");
}

// /dev/full takes nothing, as a full disk does.
TEST_F(Cli, WhatCannotBePrintedIsNoSuccess) {
  for (const std::string& command :
       {"run " + kSmall, "run " + kSmall + " --json", "derive " + kSmall, std::string("schema report"),
        std::string("run --help"), std::string("images workloads/traces/coco_val2017.csv")}) {
    const Outcome outcome = run(command + " >/dev/full");
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("standard output: /: expected a place that can be written"), std::string::npos)
        << command << ": " << outcome.err;
  }
}

std::string owners_of(const std::string& derivation) {
  std::smatch found;
  std::regex_search(derivation, found, std::regex("\"by_microbatch\":\\[[^\\]]*"));
  return found.str();
}

// Three equal means added up and divided by three are not the mean to the last bit, and ties are broken by
// it; a run plans for one of three equal replicas, and so must the derivation.
TEST_F(Cli, DerivationShowsTheOwnerMapOfTheRun) {
  const std::string derive_owners =
      "derive workloads/experiments/owners.json --schedule min-max --format json "
      "--set /network/p2p_ms=0.601 --set /pipeline/microbatches=12 "
      "--set /model/blocks/0/work_per_microbatch=[1,1,1,1,1,1,1,1,1,1,1,1] "
      "--set /model/blocks/0/profile/forward_ms=28.42303251140033 "
      "--set /model/blocks/1/profile/forward_ms=25.15103041717175";
  const std::string one = owners_of(run(derive_owners).out);
  EXPECT_NE(one, "");
  EXPECT_EQ(owners_of(run(derive_owners + " --set /pipeline/replicas=3").out), one);
}

std::vector<std::string> makespans_of(const std::string& report) {
  static const std::regex figure("\"makespan_s\": ([^,]*)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(report.begin(), report.end(), figure), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// v-min chooses its order by expected times; handed back as a list, the derived order takes as long.
TEST_F(Cli, DerivationShowsTheOrderOfARunThatPlans) {
  const std::string experiment =
      "workloads/experiments/skeletons.json --set /baseline=planned "
      "--set '/schedules=[{\"name\": \"planned\", \"schedule\": \"v-min\"}]'";
  const std::string order = file("list.csv", run("derive " + experiment + " --format csv").out);
  const Outcome both = run("run " + experiment + " --order " + order + " --engine longest-path --json");
  const std::vector<std::string> makespans = makespans_of(both.out);
  ASSERT_EQ(makespans.size(), 2U) << both.err;
  EXPECT_EQ(makespans[0], makespans[1]);
}

TEST_F(Cli, DerivationComesInFiveFormats) {
  EXPECT_NE(run("derive " + kSmall).out.find("Fwd(enc,"), std::string::npos);
  EXPECT_NE(run("derive " + kSmall + " --format json").out.find("\"placement\""), std::string::npos);
  EXPECT_NE(run("derive " + kSmall + " --format dot").out.find("digraph"), std::string::npos);
  EXPECT_NE(run("derive " + kSmall + " --format graphml").out.find("<graphml"), std::string::npos);
  EXPECT_EQ(run("derive " + kSmall + " --schedule baseline --format csv").out.substr(0, 24),
            "0F0,0F1,0F2,0B0,0B1,0B2\n");
}

TEST_F(Cli, AnOrderFromAFileIsCheckedLikeAnyInput) {
  const std::string order = run("derive " + kSmall + " --schedule baseline --format csv").out;
  const std::string typo = file("typo.csv", std::string(order).replace(0, 3, "0f0"));
  for (const std::string command : {"run ", "derive ", "explain "})
    expect_refused(command + kSmall + " --order " + typo,
                   typo + ": /0/0: expected an action such as 0F0, found \"0f0\"");
  expect_refused("run " + kSmall + " --order " + file("gone.csv", std::string(order).erase(0, 4)),
                 "gone.csv: /0: expected also 0F0, found no such action");
  expect_refused("run " + kSmall + " --order " + file("baseline.csv", order),
                 "command line: --order: expected a file not named like a schedule of the experiment, found");
  expect_refused("run " + kSmall + " --json --order " + file("\xff.csv", order),
                 "command line: --order: expected a file name in UTF-8, found other bytes");
}

TEST_F(Cli, OptionsLeaveTheExperimentThatFollowsThem) {
  EXPECT_EQ(run("run --engine longest-path,max-plus " + kSmall + " --json").status, 0);
  EXPECT_EQ(run("run --set /network/p2p_ms=1 " + kSmall + " --json").status, 0);
}

TEST_F(Cli, ImagesSaysWhatATraceMeans) {
  const Outcome coco = run("images workloads/traces/coco_val2017.csv --json");
  EXPECT_EQ(coco.status, 0) << coco.err;
  for (const char* figure : {"\"images\": 5000", "\"p50\": 1380", "\"max\": 2116"}) {
    EXPECT_NE(coco.out.find(figure), std::string::npos) << figure << '\n' << coco.out;
  }
}

TEST_F(Cli, MissingAndBrokenFilesAreRefused) {
  expect_refused("run nowhere.json", "nowhere.json");
  expect_refused("run " + file("cut.json", "{\"schema\": \"spillway/exp"), "cut.json");
  expect_refused("run " + file("latin.json", "{\"name\": \"caf\xe9\"}"), "UTF-8");
  expect_refused("run '" + folder_.string() + "'", folder_.filename().string());
  expect_refused("images " + file("empty.csv", ""), "empty.csv");
  expect_refused("images " + file("header.csv", "width,height,count\n"), "header.csv");
  expect_refused("images " + file("zero.csv", "width,height,count\n0,10,1\n"), "line 2");
  expect_refused("images " + file("huge.csv", "width,height,count\n640,480,1\n1000000000,5,1\n"), "line 3");
}

TEST_F(Cli, BadValuesAreRefusedWithTheirPlace) {
  const auto refuse = [&](const std::string& setting, const std::string& message) {
    expect_refused("run " + kSmall + " --set '" + setting + "'", message);
  };
  refuse("/pipelin=1", "/pipelin");
  refuse("/pipeline/ranks=\"four\"", "/pipeline/ranks: expected");
  refuse("/pipeline/ranks=0", "/pipeline/ranks: expected");
  refuse("/pipeline/microbatches=0", "/pipeline/microbatches: expected");
  refuse("/model/blocks/0/profile/forward_ms=-1", "/model/blocks/0/profile/forward_ms: expected");
  refuse("/model/blocks/0/profile/forward_ms=1e999", "forward_ms");
  refuse("/model/blocks/0/profile/forward_ms=NaN", "/model/blocks/0/profile/forward_ms: expected");
  refuse("/schedules/0/cut=[12]", "/schedules/0/cut");
  refuse("/schedules/0/cut=[0]", "/schedules/0/cut");
  refuse("/schedules/0/schedule=\"1f1b,gpipe\"", "/schedules/0/schedule: expected one skeleton");
  refuse("/schedules/0/schedule=\"1f1c\"", "/schedules/0/schedule: expected");
  refuse("/schedules/1/name=\"mpipe\"", "/schedules/1/name");
  refuse("/model/blocks/0/work_per_microbatch=[1]", "/model/blocks/0/work_per_microbatch");
}

// Rank 0 of mpipe holds three slabs of two layers of 201216000 bytes, rank 1 of the baseline three of three.
TEST_F(Cli, AMemoryLimitNamesEverySchedulesWorstRank) {
  const std::string limited = "run " + kSmall + " --json --set '/memory={\"limit_gb\": ";
  const Outcome neither = run(limited + "1}'");
  EXPECT_EQ(neither.status, 3);
  EXPECT_EQ(neither.out, "");
  EXPECT_EQ(neither.err,
            "memory limit of 1 GB exceeded by\n"
            "  mpipe: 1.207 GB on rank 0 at 0.08269 s: activations 1.207 GB\n"
            "  baseline: 1.811 GB on rank 1 at 0.1383 s: activations 1.811 GB\n");
  const Outcome one = run(limited + "1.5}'");
  EXPECT_EQ(one.status, 3);
  EXPECT_EQ(one.err.find("mpipe"), std::string::npos) << one.err;
  EXPECT_EQ(run(limited + "1.810944}'").status, 0);  // just as much as there is
  EXPECT_EQ(run("explain " + kSmall + " --set '/memory={\"limit_gb\": 1}'").status, 3);
}

TEST_F(Cli, MemoryAboveThePlatformsIsARemark) {
  const Outcome b = run("explain workloads/experiments/experiment-b.json --set /draws=1");
  EXPECT_EQ(b.status, 0) << b.err;
  EXPECT_NE(b.out.find("peak memory "), std::string::npos) << b.out;
  EXPECT_TRUE(std::regex_search(b.out, std::regex("above the\\s+accelerator's\\s+64\\s+GB"))) << b.out;
  const Outcome limited =
      run("explain workloads/experiments/experiment-b.json --set /draws=1 --set "
          "'/memory={\"limit_gb\": 64}'");
  EXPECT_EQ(limited.status, 3);
  EXPECT_TRUE(
      std::regex_search(limited.err, std::regex("exceeded by\n  mpipe: .* on rank 0 .*transposed .* GB")))
      << limited.err;
}

TEST_F(Cli, DurationsBeyondAnyNumberAreRefused) {
  const std::string command = "run " + kSmall + " --set /model/blocks/1/profile/forward_ms=1.7e308 " +
                              "--set /model/blocks/0/work_per_microbatch=[1e9,1,1] " +
                              "--set /model/blocks/0/profile/forward_ms=1.7e308";
  expect_refused(command, "small.json: /model: expected durations that add up to a number");
}

TEST_F(Cli, AbsurdSizesAreRefusedBeforeAnythingIsBuilt) {
  expect_refused(
      "run workloads/experiments/pipelines.json --set /pipeline/ranks=1000000 --set "
      "/pipeline/microbatches=1000000 --set /model/blocks/0/layers=2000000",
      "/pipeline");
}

const char* const kTable = R"({ "schema": "spillway/cases/1", "name": "t", "source": "s",
  "assumptions": ["that much"], "experiment": { "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": 2, "microbatches": 4 },
    "model": { "blocks": [ { "name": "llm", "layers": 2,
      "profile": { "forward_ms": 2, "input_gradient_ms": 2, "weight_gradient_ms": 2 } } ] },
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] },
  "fit": [ { "pointer": "/model/blocks/0/profile/forward_ms", "from": 0.5, "to": 8 } ],
  "cases": [ { "name": "one", "set": {}, "measured_s": 0.035, "fitted": true },
             { "name": "two", "set": { "/pipeline/microbatches": 9 }, "measured_s": 0.05 } ] })";

// (M + P - 1)(F + B): 5 x 6 ms of 35, 10 x 6 ms of 50.
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

// Two stages, one microbatch: the last backward starts a quarter of a second after its gradient has come,
// which no replay does: 7 s for 7.25.
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

// One backbone layer per stage, F 1 s and B 2 s, 0.5 s a transfer: 7 s, the trace's host gap left out.
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

// Two steps of two stages: what a straggler trace looks like.
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
                             "2 steps: 4, 12; from first start to last end 1.250 s to 1.500 s\n"
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
                             "dropped: 1 rows with a negative duration (first at line 6)\n"
                             "guessed: 2 transfers have the microbatch of their seq_id\n");
}

TEST_F(Cli, ImportWritesACopyOfSomeSteps) {
  const std::string path = file("t.csv", kStragglerTrace), out = (folder_ / "new" / "out.csv").string();
  const Outcome outcome = run("import '" + path + "' --step 4 --out '" + out + "' --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"schema\": \"spillway/trace/1\""), std::string::npos);
  EXPECT_NE(outcome.out.find("\"dropped: 1 steps that were not asked for\""), std::string::npos);
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

// 5 us and 200 GB/s between two devices of a node, at 16 sizes.
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
        "errors on .*/s.csv, and the evidence", "send-recv, 2 devices of node \\(fitted\\) +17 +0.0 %"})
    EXPECT_TRUE(std::regex_search(outcome.out, std::regex(line))) << line << '\n' << outcome.out;
  EXPECT_NE(slurp(out).find("\"interval\""), std::string::npos);
  const std::string wide =
      file("wide.csv", "# devices: 64\n# operation: all-reduce\nsize_MB,time_us\n1,10\n");
  const Outcome beside =
      run("calibrate " + measured + " --platform platforms/hgx-h100.json --against " + wide);
  EXPECT_NE(beside.out.find("none: nothing in it has a price on this platform"), std::string::npos)
      << beside.out;
  const Outcome again = run("calibrate " + measured + " --platform " + out);
  EXPECT_EQ(again.status, 0) << again.err;
}

TEST_F(Cli, CalibrateWritesNothingWhereItRefuses) {
  const std::string bad = file("s.csv", "size_bytes,time_us\n1024,-1\n"), out = (folder_ / "p.json").string();
  expect_refused("calibrate " + bad + " --platform platforms/hgx-h100.json --out " + out,
                 "line 2: expected a time above 0");
  expect_refused("calibrate " +
                     file("wide.csv", "# devices: 64\n# operation: all-reduce\nsize_MB,time_us\n1,10\n") +
                     " --platform platforms/hgx-h100.json --out " + out,
                 "--out: expected measurements that something can be fitted to");
  EXPECT_FALSE(fs::exists(out));
  const std::string good = file("s.csv", sweep());
  expect_refused("calibrate " + good + " " + good + " --platform platforms/hgx-h100.json",
                 "MEASUREMENTS: expected each file once");
  expect_refused("calibrate " + file("s.csv", sweep()), "--platform");
  expect_refused("calibrate " + folder_.string(), "--platform");
}

TEST_F(Cli, ReportsSayWhatWasAssumed) {
  for (const std::string command : {"run", "explain"}) {
    const Outcome outcome = run(command + " workloads/experiments/reordering.json --set /assumptions/0=so");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("assumed: so\n"), std::string::npos) << outcome.out;
  }
}

// Two steps of one replica: 1F1B on two ranks, two microbatches; passes of 10 ms forward and 20 ms backward,
// twice that in the second step; transfers of 1 ms, waiting included where a side was posted early.
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
  const auto without_host_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex("\"(derive_s|longest_path_s)\": [^,\n}]*"), "");
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

}  // namespace
