// Figures in the sentences of the documents, from the reports of the runs that they describe. Those of
// Experiment A, whose fit takes seconds each time, are made anew under `make nightly` alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "house/documents.h"
#include "support/nightly.h"
#include "support/shipped.h"

namespace {

using nlohmann::json;
using spillway::testing::document;
using spillway::testing::expect_said;
using spillway::testing::is_nightly;
using spillway::testing::kSource;
using spillway::testing::rounded;

// Returns what a run prints with --json; each run is done once.
const json& report_of(const std::string& arguments) {
  static std::map<std::string, json> reports;
  if (const auto known = reports.find(arguments); known != reports.end()) return known->second;
  const std::string command =
      "cd '" + kSource + "' && '" SPILLWAY_PROGRAM "' run --json --quiet workloads/experiments/" + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  json report = json::parse(pipe);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return reports.emplace(arguments, std::move(report)).first->second;
}

struct Figure {
  std::string schedule;  // empty for the whole report
  std::string pointer;
  double unit = 1;  // of the words
  int digits = 0;
};

std::string figure_text(const json& report, const Figure& figure) {
  json at = report;
  for (const json& schedule : report["schedules"])
    if (schedule["name"] == figure.schedule) at = schedule;
  return rounded(at.at(json::json_pointer(figure.pointer)).get<double>() / figure.unit, figure.digits);
}

struct Sentence {
  const char* page;
  std::string words;  // {} for each figure
  const char* arguments;
  std::vector<Figure> figures;
};

std::string sentence_text(const Sentence& sentence) {
  std::string words = sentence.words;
  for (const Figure& figure : sentence.figures)
    words.replace(words.find("{}"), 2, figure_text(report_of(sentence.arguments), figure));
  return words;
}

constexpr double kMs = 1e-3, kGb = 1e9;
const std::vector<Figure> kStepAndSpeedup = {{"mpipe", "/makespan_s/mean", 1, 2},
                                             {"mpipe", "/speedup/mean", 1, 3}};
const char* const kSaid = "{} s, {}x";
const std::string kExposed = "/exposed_encoder_s", kMemory = "/peak_memory_bytes/max",
                  kFitted = "/fitted/0/value";
const char *const kA = "experiment-a.json", *const kB = "experiment-b.json",
                  *const kReordering = "reordering.json --engine longest-path";

const std::vector<Sentence> kSentences = {
    {"docs/paper.md",
     "{} to {} ms | predicted, no free factor",
     kA,
     {{"mpipe", "/encoder_microbatch_s/least", kMs}, {"mpipe", "/encoder_microbatch_s/most", kMs}}},
    {"docs/paper.md", "puts into the bubbles is exposed, {} s,", kA, {{"mpipe", kExposed + "/mean", 1, 2}}},
    {"docs/paper.md",
     "a die holds {} GB at its peak, the baseline's {} GB",
     kA,
     {{"mpipe", kMemory, kGb}, {"disttrain-like", kMemory, kGb}}},
    {"docs/paper.md", "fitted: backbone compute efficiency {}", kA, {{"", kFitted, 1, 3}}},
    {"docs/paper.md",
     "efficiency fitted again: {}",
     "experiment-a.json --set /model/blocks/0/trainable=false",
     {{"", kFitted, 1, 3}}},
    {"docs/paper.md",
     "weight gradients takes {} and",
     "experiment-a.json --set /schedules/0/schedule=transpose,zb-v",
     {{"mpipe", kMemory, kGb}}},
    {"docs/paper.md",
     "and {} GB, more than a die has",
     "experiment-a.json --set /schedules/0/schedule=transpose,dualpipev",
     {{"mpipe", kMemory, kGb}}},
    {"docs/paper.md", "it comes out at {} ms", kB, {{"", kFitted}}},
    {"docs/paper.md",
     "{} GB at the peak with Mpipe, {} GB in the baseline",
     kB,
     {{"mpipe", kMemory, kGb}, {"megatron", kMemory, kGb}}},
    {"docs/paper.md", "and {} GB balanced", kB, {{"balanced", kMemory, kGb, 1}}},
    {"docs/paper.md",
     "the same fit ({} ms)",
     "experiment-b.json --set /workload/samples_per_microbatch=4",
     {{"", kFitted}}},
    {"docs/paper.md",
     "Recomputing the encoder leaves {} GB with Mpipe and {} GB in the baseline",
     "experiment-b.json --set /model/blocks/0/recompute=full",
     {{"mpipe", kMemory, kGb}, {"megatron", kMemory, kGb}}},
    {"docs/paper.md",
     "the balanced pipeline takes {} s there, and Mpipe {} s",
     "experiment-b.json --set /model/blocks/0/recompute=full",
     {{"balanced", "/makespan_s/mean", 1, 2}, {"mpipe", "/makespan_s/mean", 1, 2}}},
    {"docs/paper.md",
     "balanced pipeline takes {} s, and Mpipe gains next to nothing over it",
     "experiment-a.json --set /model/blocks/0/trainable=false",
     {{"balanced", "/makespan_s/mean", 1, 2}}},
    {"docs/schedules.md",
     "falls from {} to {} ms by the order alone, while searching the owner map leaves {};",
     kReordering,
     {{"as-sampled", kExposed, kMs}, {"reordered", kExposed, kMs}, {"owners-searched", kExposed, kMs}}},
    {"docs/schedules.md", "round-robin ({} ms as sampled)", kReordering, {{"round-robin", kExposed, kMs}}},
    {"docs/paper.md", kSaid, "experiment-a.json --set /model/blocks/0/trainable=false", kStepAndSpeedup},
    {"docs/paper.md", kSaid, "experiment-a.json --set /schedules/0/schedule=transpose,zb-v", kStepAndSpeedup},
    {"docs/paper.md", kSaid, "experiment-a.json --set /schedules/0/schedule=transpose,dualpipev",
     kStepAndSpeedup},
    {"docs/paper.md", kSaid, "experiment-b.json --set /workload/samples_per_microbatch=4", kStepAndSpeedup},
    {"docs/paper.md", kSaid, "experiment-b.json --set /workload/samples_per_microbatch=2", kStepAndSpeedup},
};

TEST(DocumentReports, SentencesSayTodaysFigures) {
  for (const Sentence& sentence : kSentences) {
    if (!is_nightly() && std::string_view(sentence.arguments).starts_with(kA)) continue;
    expect_said(sentence.page, sentence_text(sentence));
  }
}

// docs/accuracy.md counts rows and rows within the interval, without the table that no operator table covers
// (FP32).
TEST(DocumentReports, RowsOfMeasuredStepsAddUp) {
  static const std::regex row(R"(\n\| ([a-z0-9-]+) \| (\d+) \| \d+ \| [^|]+ \| [^|]+ \| [^|]+ \| (\d+) \|)");
  const std::string page = document("docs/accuracy.md").text;
  int rows = 0, held = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    if ((*at)[1] == "neusight") continue;
    rows += std::stoi((*at)[2]);
    held += std::stoi((*at)[3]);
  }
  expect_said("docs/accuracy.md", "They hold " + std::to_string(held) + " of the " + std::to_string(rows) +
                                      " rows that nothing else was fitted to");
}

}  // namespace
