// Commands, options and files that every user meets.
#include <regex>
#include <string>
#include <vector>

#include "program.h"
#include "support/nightly.h"

namespace spillway::testing {
namespace {

// mpirun ends a job when its first rank fails; output that rank 0 has not written by then is lost.
TEST_F(Cli, ARankBehindTheFirstLeavesWordsAndStatusToIt) {
  const Outcome behind = run("sweep --nonsense", "OMPI_COMM_WORLD_RANK=1");
  EXPECT_EQ(behind.status, 0);
  EXPECT_EQ(behind.err, "");
  const Outcome first = run("sweep --nonsense", "OMPI_COMM_WORLD_RANK=0");
  EXPECT_EQ(first.status, 2);
  EXPECT_NE(first.err, "");
}

TEST_F(Cli, EveryCommandHasHelpWithAnExample) {
  for (const char* command : {"run", "derive", "explain", "images", "import", "export", "validate",
                              "calibrate", "compare", "schema"}) {
    const Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example: spillway " + std::string(command)), std::string::npos) << help.out;
  }
}

TEST_F(Cli, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run("").status, 2);
  expect_refused("fly", "fly");
  expect_refused("rum " + kSmall, "not expected: rum, did you mean run?");
  expect_refused("run " + kSmall + " --engien=simgrid", "not expected: --engien, did you mean --engine?");
  expect_refused("run " + kSmall + " --out ''", "--out: expected a value, found an empty one");
  expect_refused("sweep export x.sqlite --format ''", "--format: expected a value, found an empty one");
  expect_refused("run ''", "EXPERIMENT: expected a value, found an empty one");
  expect_refused("run " + kSmall + " --seed -1", "--seed");
  expect_refused("run " + kSmall + " --seed 18446744073709551616", "--seed: expected a whole number");
  EXPECT_EQ(run("run").status, 2);
  EXPECT_EQ(run("run " + kSmall + " --wings").status, 2);
  expect_refused("run " + kSmall + " --engine steam",
                 "--engine: expected longest-path, max-plus or simgrid, found \"steam\"");
  expect_refused("export " + kSmall + " --to nemo", "--to: expected megatron-lm, ");
  expect_refused("export " + kSmall + " --out x", "--out: expected --to beside it");
  EXPECT_EQ(run("export " + kSmall + " --to megatron-lm").status, 3);
  expect_refused("run " + kSmall + " --set pipeline", "--set: expected /json/pointer=value");
  expect_refused("derive " + kSmall + " --schedule x",
                 "--schedule: expected one of mpipe, baseline, found \"x\"");
  expect_refused("derive " + kSmall + " --format pdf",
                 "--format: expected text, json, dot, graphml, csv, goal, chakra or program");
  expect_refused(
      "schema report2",
      "expected cases, check, comparison, derivation, execution, experiment, explanation, "
      "framework, known-errors, launch, launches, layout-explanation, plan, plans, platform, profile, "
      "program, report, step-log, support, sweep, synthesis, twin, validation, validation-cases or "
      "validation-tables");
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
  const std::string job = is_nightly() ? "experiment-a" : "experiment-b";
  const std::string command = "run workloads/experiments/" + job + ".json --draws 3 --json";
  const std::string first = without_host_times(run(command).out);
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(first, without_host_times(run(command).out));
}

// These tables show nothing of (max,+), which needs the order in memory. So does the bound. The held
// step takes ten seconds, and runs under `make nightly`; every day tests/evaluate holds small streams to it.
TEST_F(Cli, AStepThatIsStreamedIsPrintedLikeOneThatIsHeldButForItsBound) {
  const std::string job =
      "run workloads/experiments/image-work.json --draws 1 --set /pipeline/ranks=16 --set "
      "/pipeline/microbatches=32768 --set "
      "'/schedules=[{\"name\":\"mpipe\",\"schedule\":\"transpose,1f1b\",\"cut\":[32]}]' --set "
      "/baseline=mpipe --engine longest-path";
  const Outcome streamed = run(job);
  EXPECT_EQ(streamed.status, 0) << streamed.err;
  EXPECT_NE(streamed.out.find("\n  mpipe "), std::string::npos) << streamed.out;
  EXPECT_EQ(streamed.out.find("  bound: "), std::string::npos) << streamed.out;
  if (!is_nightly()) return;
  const Outcome held = run(job + ",max-plus");
  const std::size_t bound = held.out.find("  bound: "), end = held.out.find("\n\n", bound) + 1;
  ASSERT_LT(bound, end);
  EXPECT_EQ(streamed.out, held.out.substr(0, bound) + held.out.substr(end));
}

// This step is too large to hold in memory. `make nightly` runs it; the step above is streamed every day.
TEST_F(Cli, ALargeStepIsRunForItsFigures) {
  const std::string job =
      "run workloads/experiments/image-work.json --engine longest-path --draws 1 --set /pipeline/ranks=16 "
      "--set /pipeline/microbatches=600000 --set "
      "'/schedules=[{\"name\":\"megatron\",\"schedule\":\"1f1b\"}]' --set /baseline=megatron";
  expect_refused(job + " --json", "a run keeps timelines in memory");
  if (!is_nightly()) return;
  const Outcome figures = run(job);
  EXPECT_EQ(figures.status, 0) << figures.err;
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
  for (const char* name : {"report.json", "mpipe.trace.json.gz", "baseline.trace.json.gz"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(Cli, SchedulesOfAnyNameKeepTheirOwnTraces) {
  const Outcome outcome = run("run " + kSmall + " --set '/schedules/0/name=a b' --set /schedules/1/name=a/b" +
                              " --set /baseline=a/b --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"a%20b.trace.json.gz", "a%2Fb.trace.json.gz"}) {
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

// Three equal means, added up and divided by three, differ from the mean in the last bit, and that bit breaks
// ties. A run plans for one of three equal replicas, and so must the derivation.
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

// v-min chooses its order by expected times. The derived order, given back as a list, takes as long.
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
            "0F0 [layers=5],0F1,0F2,0");
}

// The baseline's uneven split must come back with its order.
TEST_F(Cli, ADerivedScheduleReadBackTakesAsLong) {
  const std::string order =
      file("again.csv", run("derive " + kSmall + " --schedule baseline --format csv").out);
  const Outcome both = run("run " + kSmall + " --order " + order + " --engine longest-path --json");
  const std::vector<std::string> makespans = makespans_of(both.out);
  ASSERT_GE(makespans.size(), 3U) << both.err;
  EXPECT_EQ(makespans[1], makespans[2]);
  const Outcome body =
      run("derive " + kSmall + " --schedule mpipe --set /schedules/0/owner=round-robin --format csv");
  EXPECT_NE(body.err.find("note: the lists leave out the work of transposed region enc: several ranks"),
            std::string::npos)
      << body.err;
  expect_refused("run " + kSmall + " --order " + file("body.csv", body.out), "found 8 layers");
}

// Rank 3 encodes all microbatches of small.json, so PyTorch can hold the encoder, which is frozen.
TEST_F(Cli, ListsForPyTorchHaveAnEncoderThatOneRankComputes) {
  const Outcome lists = run("derive " + kSmall + " --schedule mpipe --format csv");
  EXPECT_NE(lists.out.find("\n0F0 [layers=4],0SEND_F0,"), std::string::npos) << lists.out;
  EXPECT_NE(lists.err.find("note: transposed region enc is stage 0 of the lists, because rank 3"),
            std::string::npos)
      << lists.err;
  EXPECT_NE(lists.err.find("PyTorch loads them as \"compute_comms\""), std::string::npos) << lists.err;
}

TEST_F(Cli, AnOrderFromAFileIsCheckedLikeAnyInput) {
  const std::string order = run("derive " + kSmall + " --schedule baseline --format csv").out;
  const std::string typo = file("typo.csv", std::string(order).replace(0, 3, "0f0"));
  for (const std::string command : {"run ", "derive ", "explain "})
    expect_refused(command + kSmall + " --order " + typo,
                   typo + ": /0/0: expected an action such as 0F0, found \"0f0\"");
  // The first forward is missing, so the next action of its stage states the layers.
  const std::string gone = std::string(order).replace(0, order.find(",0F2"), "0F1 [layers=5]");
  expect_refused("run " + kSmall + " --order " + file("gone.csv", gone),
                 "gone.csv: /0: expected also 0F0, found no such action");
  expect_refused("run " + kSmall + " --order " + file("baseline.csv", order),
                 "command line: --order: expected a file name that no schedule of the experiment has, found");
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

// Rank 0 of mpipe holds three slabs of two layers of 201216000 bytes, rank 1 of the baseline three slabs of
// three layers.
TEST_F(Cli, AMemoryLimitNamesEverySchedulesWorstRank) {
  const std::string limited = "run " + kSmall + " --json --set '/memory={\"limit_gb\": ";
  const Outcome neither = run(limited + "1}'");
  EXPECT_EQ(neither.status, 3);
  EXPECT_EQ(neither.out, "");
  EXPECT_EQ(neither.err,
            "no schedule fits into the memory limit of 1 GB:\n"
            "  mpipe: 1.207 GB on rank 0 at 0.08269 s: activations 1.207 GB\n"
            "  baseline: 1.811 GB on rank 1 at 0.1383 s: activations 1.811 GB\n");
  const Outcome one = run(limited + "1.5}'");  // refuses the baseline but not the run
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("\"fits\": true"), std::string::npos);
  EXPECT_NE(one.out.find("\"fits\": false"), std::string::npos);
  const Outcome both = run(limited + "1.810944}'");  // exactly the baseline's peak
  EXPECT_EQ(both.status, 0);
  EXPECT_EQ(both.out.find("\"fits\": false"), std::string::npos);
  EXPECT_EQ(run("explain " + kSmall + " --set '/memory={\"limit_gb\": 1}'").status, 3);
}

TEST_F(Cli, MemoryAboveThePlatformsIsARemark) {
  const Outcome b = run("explain workloads/experiments/experiment-b.json --set /draws=1");
  EXPECT_EQ(b.status, 0) << b.err;
  EXPECT_NE(b.out.find("peak memory "), std::string::npos) << b.out;
  EXPECT_TRUE(std::regex_search(b.out, std::regex("above the\\s+accelerator's\\s+65.79\\s+GB"))) << b.out;
  const Outcome limited =
      run("explain workloads/experiments/experiment-b.json --set /draws=1 --set "
          "'/memory={\"limit_gb\": 40}'");  // the balanced pipeline holds 49 GB
  EXPECT_EQ(limited.status, 3);
  EXPECT_TRUE(
      std::regex_search(limited.err, std::regex("limit of 40 GB:\n  mpipe: .* on rank 0 .*transposed .* GB")))
      << limited.err;
}

TEST_F(Cli, DurationsBeyondAnyNumberAreRefused) {
  const std::string command = "run " + kSmall + " --set /model/blocks/1/profile/forward_ms=1.7e308 " +
                              "--set /model/blocks/0/work_per_microbatch=[1e9,1,1] " +
                              "--set /model/blocks/0/profile/forward_ms=1.7e308";
  expect_refused(command,
                 "/model/blocks/1/profile/forward_ms: expected a number of a size from 1e-30 to 1e30, or 0");
}

TEST_F(Cli, AbsurdSizesAreRefusedBeforeAnythingIsBuilt) {
  expect_refused(
      "run workloads/experiments/pipelines.json --set /pipeline/ranks=1000000 --set "
      "/pipeline/microbatches=1000000 --set /model/blocks/0/layers=2000000",
      "/pipeline");
}

TEST_F(Cli, ReportsSayWhatWasAssumed) {
  for (const std::string command : {"run", "explain"}) {
    const Outcome outcome = run(command + " workloads/experiments/reordering.json --set /assumptions/0=so");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("assumed: so\n"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace spillway::testing
