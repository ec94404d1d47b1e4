// Every command on every kind of unreadable path, and on text that is no input: exit status 2, the file
// named, nothing on standard output. No name reaches the terminal raw.
#include <sys/stat.h>

#include <string>
#include <vector>

#include "program.h"
#include "support/nightly.h"

namespace spillway::testing {
namespace {

// "@" stands for the path of the file.
const std::vector<std::string> kOfExperiments = {
    "run @",
    "derive @",
    "explain @",
    "run " + kSmall + " --order @",
    "run workloads/experiments/experiment-a.json --set '/platform=\"@\"'",
    "validate workloads/published/traces/straggler-ar.csv --experiment @"};
const std::vector<std::string> kOfTraces = {"validate @",
                                            "import @",
                                            "run --workload @",
                                            "calibrate @ --platform platforms/hgx-h100.json",
                                            "calibrate @ --platform platforms/hgx-h100.json --against @",
                                            "compare @ " + kSmall,
                                            "compare " + kSmall + " @"};
const std::vector<std::string> kOfOthers = {"images @", "calibrate @", "calibrate none.txt --platform @"};
const std::vector<std::string> kOfSweeps = {"sweep @ --out none/s.sqlite", "plan @"};
const std::vector<std::string> kOfStores = {"sweep export @", "sweep merge --out none/all.sqlite @",
                                            "sweep plot @ --x /pipeline/ranks --out none/plot.svg"};

std::vector<std::string> all(std::initializer_list<std::vector<std::string>> groups) {
  std::vector<std::string> commands;
  for (const auto& group : groups) commands.insert(commands.end(), group.begin(), group.end());
  return commands;
}

std::string with_file(std::string command, const std::string& path) {
  for (std::size_t at = command.find('@'); at != std::string::npos; at = command.find('@', at + path.size()))
    command.replace(at, 1, path);
  return command;
}

// Returns true if the text has no control characters but line breaks and tabs, and no right-to-left override.
bool is_clean(const std::string& text) {
  for (const char c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == '\x7f') return false;
  return text.find("\xe2\x80\xae") == std::string::npos;
}

class HostileInput : public Cli {
 protected:
  // Every day every third command meets the path, from this number on. The numbers differ, so that each
  // command meets a third of the paths, and of the texts. `make nightly` tries all on all.
  void expect_all_refuse(std::size_t third, const std::string& path,
                         const std::vector<std::string>& commands) const {
    const bool whole = is_nightly();
    for (std::size_t i = whole ? 0 : third; i < commands.size(); i += whole ? 1 : 3) {
      const std::string& command = commands[i];
      const Outcome outcome = run(with_file(command, path), "timeout 60");
      EXPECT_EQ(outcome.status, 2) << command << '\n' << outcome.err.substr(0, 500);
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_NE(outcome.err.find(path), std::string::npos) << command << '\n' << outcome.err.substr(0, 500);
      EXPECT_TRUE(is_clean(outcome.err)) << command;
      EXPECT_LT(outcome.err.size(), 200'000u) << command;
    }
    EXPECT_FALSE(fs::exists(kSource / "none"));
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
};

const auto kAll = all({kOfExperiments, kOfTraces, kOfOthers, kOfSweeps, kOfStores});

TEST_F(HostileInput, WhatIsNotThere) {
  expect_all_refuse(0, at("missing"), kAll);
}

TEST_F(HostileInput, AFolder) {
  fs::create_directories(at("folder"));
  expect_all_refuse(1, at("folder"), kAll);
}

TEST_F(HostileInput, ACircleOfLinks) {
  fs::create_symlink(at("b"), at("a"));
  fs::create_symlink(at("a"), at("b"));
  expect_all_refuse(2, at("a"), kAll);
}

TEST_F(HostileInput, ANameLongerThanFileSystemsKnow) {
  expect_all_refuse(0, at(std::string(300, 'n')), kAll);
}

TEST_F(HostileInput, APlaceBelowAFile) {
  expect_all_refuse(1, file("file", "text") + "/below", kAll);
}

TEST_F(HostileInput, ADevice) {
  expect_all_refuse(2, "/dev/null", kAll);
}

// Nobody writes into the pipe, so a program that opened it would wait forever.
TEST_F(HostileInput, APipeOfWhatIsReadMoreThanOnce) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  expect_all_refuse(0, at("pipe"), all({kOfTraces, kOfStores}));
}

TEST_F(HostileInput, AnEmptyFile) {
  expect_all_refuse(1, file("empty", ""), kAll);
}

TEST_F(HostileInput, Bytes) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  expect_all_refuse(2, file("bytes", bytes), kAll);
}

TEST_F(HostileInput, TextThatIsNoUtf8) {
  expect_all_refuse(0, file("latin", "{\"name\": \"caf\xe9\", \"schema\": \"spillway/cases/1\"}"), kAll);
}

TEST_F(HostileInput, DeepNesting) {
  expect_all_refuse(1, file("deep", std::string(400'000, '[')), kAll);
}

TEST_F(HostileInput, AHugeString) {
  expect_all_refuse(2, file("huge", "{\"name\":\"" + std::string(18u << 20, 'x') + "\"}"), kAll);
}

TEST_F(HostileInput, JsonOfAnotherKind) {
  expect_all_refuse(0, file("number", "7\n"), kAll);
}

TEST_F(HostileInput, ASchemaWithoutAnEnd) {
  expect_all_refuse(1, file("schema-only", R"({"schema")" + std::string(30'000, ' ') + "}"), kAll);
}

TEST_F(HostileInput, ALongCommentInALog) {
  expect_all_refuse(0, file("log.txt", "# " + std::string(40'000, 'a') + "\n"),
                    {"calibrate @ --platform platforms/hgx-h100.json"});
}

TEST_F(HostileInput, ASourceThatIsNoUtf8) {
  expect_refused("calibrate x.txt --platform platforms/hgx-h100.json --source 'caf\xe9'", "--source");
  const std::string framework = "calibrate platforms --framework platforms/frameworks/mindspeed.json";
  expect_refused(framework, "--framework");
  expect_refused(framework + " --platform platforms/atlas-800-a2.json", "--framework");
}

// The names have escape sequences, a right-to-left override, and a line that says the opposite.
std::string hostile_experiment() {
  std::string text = slurp(kSource / kSmall);
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    for (std::size_t i = place; i != std::string::npos; i = text.find(from, i + to.size()))
      text.replace(i, from.size(), to);
  };
  replace("\"mpipe\"", "\"\\u001b[2J\\u202eepipm\\nbaseline fits\\u0007\"");
  replace("\"llm\"", "\"l\\u009b31m\\u0001\"");
  return text;
}

TEST_F(HostileInput, NamesReachNothingRaw) {
  const std::string path = file("named.json", hostile_experiment());
  for (const std::string command :
       {"run @", "run @ --json", "explain @", "derive @", "derive @ --format json", "derive @ --format dot",
        "derive @ --format graphml", "run @ --set /pipeline/ranks=0", "derive @ --schedule '\x1b[2J'",
        "compare @ workloads/experiments/small.json", "compare workloads/experiments/small.json @ --json"}) {
    const Outcome outcome = run(with_file(command, path));
    EXPECT_TRUE(outcome.status == 0 || command.find("ranks=0") != std::string::npos ||
                command.find("--schedule") != std::string::npos)
        << command << outcome.err;
    EXPECT_TRUE(is_clean(outcome.out)) << command;
    EXPECT_TRUE(is_clean(outcome.err)) << command;
    EXPECT_EQ(outcome.out.find("\nbaseline fits"), std::string::npos) << command;
  }
}

TEST_F(HostileInput, NamesOfManyBytesBecomeFiles) {
  std::string name, other;
  for (int i = 0; i < 30; ++i) name += "\xe4\xb8\xad", other += i < 29 ? "\xe4\xb8\xad" : "\xe6\x96\x87";
  const auto named = [&](const std::string& schedule) {
    return run("run " + kSmall + " --set '/schedules/1/name=" + schedule + "' --set '/baseline=" + schedule +
               "' --engine longest-path --out " + at("out"));
  };
  EXPECT_EQ(named(name).status, 0);
  const Outcome outcome = named(other);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::size_t traces = 0;
  for (const auto& entry : fs::directory_iterator(at("out"))) traces += entry.path().extension() == ".gz";
  EXPECT_EQ(traces, 3u) << "two of the long names, which stay apart, and mpipe";
}

}  // namespace
}  // namespace spillway::testing
