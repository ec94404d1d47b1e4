// The documents' figures on the paper's experiments, on measured steps and traces, and on transposing are
// those of the program today. `make nightly` holds all of them to it, every other run those that take little.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "house/documents.h"
#include "support/nightly.h"
#include "support/shipped.h"

namespace {

using spillway::testing::document;
using spillway::testing::expect_said;
using spillway::testing::is_nightly;
using spillway::testing::kSource;
using spillway::testing::rounded;

std::string output_of(const std::string& command) {
  const std::string shell = "cd '" + kSource + "' && " + command;
  FILE* const pipe = popen(shell.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), read);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

// Returns "12.88 s, 1.262x" from the schedule's line in the first table.
std::string step_and_speedup(const std::string& report, const std::string& schedule) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, step, word;
    if (!line.starts_with("  ") || !(words >> name >> step) || name != schedule) continue;
    while (words >> word && word.back() != 'x') {
    }
    return step + " s, " + word;
  }
  return "no line of " + schedule;
}

TEST(DocumentFigures, TheGainOfReorderingIsTodays) {
  if (!is_nightly()) GTEST_SKIP() << "takes half a minute";
  const std::string report = output_of(
      "'" SPILLWAY_PROGRAM "' run workloads/experiments/experiment-a.json --set /schedules/0/order=makespan");
  expect_said("docs/paper.md", step_and_speedup(report, "mpipe"));
}

// Returns Mpipe's "1.111x" from the line of comparisons. A schedule that does not fit is never called
// fastest.
std::string over_balanced(const std::string& report) {
  for (const std::string said : {"over balanced, the fastest plain pipeline: mpipe ",
                                 "over a balanced pipeline of the same body: mpipe "}) {
    const std::size_t at = report.find(said);
    if (at == std::string::npos) continue;
    std::istringstream rest(report.substr(at + said.size()));
    std::string speedup;
    rest >> speedup;
    return speedup;
  }
  return "no line on the balanced pipeline";
}

// Each experiment is run once for all that the pages say of it. Every day that is B, beside README.md's own
// run of A.
TEST(DocumentFigures, OfThePapersExperimentsAreTodays) {
  for (const auto& [name, gain] : {std::pair{"experiment-a", "Experiment A's 1.21x as "},
                                   std::pair{"experiment-b", "Experiment B's 2.70x as "}}) {
    if (!is_nightly() && name == std::string("experiment-a")) continue;
    const std::string report =
        output_of("'" SPILLWAY_PROGRAM "' run workloads/experiments/" + std::string(name) + ".json");
    const std::string figures = step_and_speedup(report, "mpipe");
    expect_said("docs/paper.md", figures);
    expect_said("README.md", gain + figures.substr(figures.rfind(' ') + 1));
    expect_said("docs/paper.md",
                step_and_speedup(report, "balanced") + "; Mpipe over it " + over_balanced(report));
  }
}

// Returns the row of a table of measured steps, from the last lines that `validate` prints: whole, or quickly
// without its last columns. Those need a hundred predictions of every row, or are never changed.
std::string accuracy_row(const std::string& table, bool whole) {
  const std::string report = output_of("'" SPILLWAY_PROGRAM "' validate workloads/published/" + table +
                                       (whole ? ".json --intervals" : ".json"));
  const std::string errors = R"( cases?: mean absolute error (\S+ %), largest (\S+ %), bias (\S+ %))";
  const auto found = [&](const std::string& pattern) {
    std::smatch match;
    std::regex_search(report, match, std::regex(pattern));
    return match;
  };
  const std::smatch others = found(R"(time, not fitted, (\d+))" + errors),
                    fitted = found(R"(time, fitted, (\d+))"),
                    blind = found("time, predicted before the measurement was known, \\d+" + errors),
                    held = found(R"(90 % intervals, not fitted, (\d+) cases?: (\d+) contain)");
  if (others.empty() || (whole && held.empty())) return "no row of " + table;
  const std::string errors_of_all = "| " + table + " | " + others[1].str() + " | " +
                                    (fitted.empty() ? "0" : fitted[1].str()) + " | " + others[2].str() +
                                    " | " + others[3].str() + " | " + others[4].str() + " | ";
  if (!whole) return errors_of_all;
  return errors_of_all + held[2].str() + " | " +
         (blind.empty() ? "" : blind[1].str() + ", " + blind[3].str()) + " |";
}

class DocumentAccuracy : public ::testing::TestWithParam<const char*> {};

// Their large steps are replayed for seconds.
constexpr std::array<std::string_view, 10> kLargeTables = {"llama3-herd",
                                                           "megatron-bridge",
                                                           "megatron-bridge-bf16",
                                                           "megatron-sc21-a100",
                                                           "mlperf-deepseek-v3-671b",
                                                           "mlperf-gpt3-175b",
                                                           "mlperf-llama31-405b-fp8",
                                                           "mlperf-llama31-405b-nvfp4",
                                                           "nemo-h100",
                                                           "vtrain-a100"};

TEST_P(DocumentAccuracy, IsTodays) {
  const bool is_large = std::ranges::find(kLargeTables, std::string_view(GetParam())) != kLargeTables.end();
  if (is_large && !is_nightly()) GTEST_SKIP() << "takes seconds; `make nightly` runs it";
  expect_said("docs/accuracy.md", accuracy_row(GetParam(), is_nightly()));
}

INSTANTIATE_TEST_SUITE_P(
    Published, DocumentAccuracy,
    ::testing::Values("vtrain-a100", "vtrain-a100-others", "megatron-sc21-a100", "recomputation-a100",
                      "zero-bubble-a100", "zero-bubble-v-a100", "mpt-a100-80gb", "mpt-h100", "nemo-h100",
                      "torchtitan", "automodel", "megatron-h100", "megatron-bridge", "megatron-bridge-bf16",
                      "megatron-bridge-vl", "simumax-b200", "simumax-b200-long", "modellink", "modellink-rc",
                      "mindspeed-llm", "mindspeed-mm", "mindspeed-mm-vl", "neusight", "automodel-others",
                      "fms-fsdp", "internevo", "llama3-herd", "llava", "megatron-bridge-gpt-oss",
                      "megatron-bridge-short", "megatron-bridge-vl-deterministic", "megatron-bridge-vl-more",
                      "mindspeed-mm-fsdp", "mindspeed-mm-qwen35", "mlperf-deepseek-v3-671b",
                      "mlperf-gpt3-175b", "mlperf-llama2-70b-lora", "mlperf-llama2-70b-lora-amd",
                      "mlperf-llama31-405b-fp8", "mlperf-llama31-405b-nvfp4", "mlperf-llama31-8b",
                      "ms-swift-text", "ms-swift-vl", "nemo-dgxc", "public-reports", "torchtitan-a100",
                      "torchtitan-fp8", "torchtitan-fp8-h200"));

// Returns the rows of classes as the page has them, from the first table that `validate` prints of all
// tables.
std::vector<std::string> class_rows() {
  std::istringstream lines(
      output_of("'" SPILLWAY_PROGRAM "' validate workloads/published/*.json --intervals"));
  static const std::regex row(R"(  (\S.*?)\s+(\d+)\s+(\S+ %)\s+(\S+ %)\s+\d+\s+(\d+)(?: \*)?)"
                              R"(\s+(\d+ to \d+)\s+(\S+ %)\s+(\d+)\s+(\S+)(?: %)?)");
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line) && line != "memory";) {
    std::smatch cell;
    if (!std::regex_match(line, cell, row)) continue;
    const std::string layouts = cell[8] == "0" ? "" : cell[8].str() + ", " + cell[9].str() + " %";
    rows.push_back("| " + cell[1].str() + " | " + cell[2].str() + " | " + cell[3].str() + " | " +
                   cell[4].str() + " | " + cell[5].str() + " | " + cell[6].str() + " | " + cell[7].str() +
                   " | " + layouts + " |");
  }
  return rows;
}

TEST(DocumentFigures, ClassesOfMeasuredStepsAreTodays) {
  if (!is_nightly()) GTEST_SKIP() << "takes as long as all tables";
  const std::vector<std::string> rows = class_rows();
  EXPECT_GE(rows.size(), 12u);
  for (const std::string& row : rows) expect_said("docs/accuracy.md", row);
}

// Returns, from the rows of a page that match the form, table -> rows, mean error, largest.
std::map<std::string, std::string> accuracy_in(const std::string& page, const char* form) {
  const std::string text = document(page).text;
  const std::regex row(form);
  std::map<std::string, std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
    found[(*at)[1]] = (*at)[2].str() + " | " + (*at)[3].str() + " | " + (*at)[4].str();
  return found;
}

// README.md has some of the rows of docs/accuracy.md, with the table's name in brackets; those are today's.
TEST(DocumentFigures, TheReadmesErrorsAreThePages) {
  const auto kept =
      accuracy_in("docs/accuracy.md", R"(\| ([a-z0-9-]+) \| (\d+) \| \d+ \| (\S+ %) \| (\S+ %) \|)");
  const auto shown = accuracy_in("README.md", R"(\(([a-z0-9-]+)\) \| (\d+) \| (\S+ %) \| (\S+ %) \|)");
  EXPECT_GE(shown.size(), 7u);
  for (const auto& [table, figures] : shown)
    EXPECT_EQ(figures, kept.contains(table) ? kept.at(table) : "no row") << table;
}

// The errors of a row of a trace's replays, by mean and largest, from the output of `validate`.
struct SpanError {
  double mean = -1;
  double largest = -1;
};
SpanError span_error(const std::string& report, const std::string& replay) {
  const std::regex row(replay + R"(\s+(\S+) %\s+(\S+) %)");
  std::smatch found;
  if (!std::regex_search(report, found, row)) return {};
  return {std::stod(found[1]), std::stod(found[2])};
}

std::string trace_row(const std::string& trace, int digits, bool with_largest) {
  const std::string report = output_of("'" SPILLWAY_PROGRAM "' validate '" + trace + "'");
  const SpanError measured = span_error(report, "as measured");
  const std::string largest = with_largest ? " (" + rounded(measured.largest, digits) + ")" : "";
  return rounded(measured.mean, digits) + largest + " % | " +
         rounded(span_error(report, "constant transfer").mean, digits) + " % | " +
         rounded(span_error(report, "means only").mean, std::min(digits, 2)) + " % |";
}

TEST(DocumentFigures, ReplaysOfShippedTracesAreTodays) {
  for (const auto& [name, digits] : {std::pair{"ascend-910b-pp2", 2}, std::pair{"megatronapp", 1}}) {
    expect_said("docs/measured-runs.md",
                trace_row("workloads/published/traces/" + std::string(name) + ".csv", digits, false));
  }
  const std::string model =
      output_of("'" SPILLWAY_PROGRAM
                "' validate workloads/published/traces/ascend-910b-pp2.csv --experiment "
                "workloads/experiments/ascend-910b-pp2.json");
  expect_said("docs/measured-runs.md",
              "misses the Ascend run by " + rounded(span_error(model, "model").mean, 1) + " %");
}

TEST(DocumentFigures, ReplaysOfWholeTracesAreTodays) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  for (const char* job : {"ST", "AR"}) {
    expect_said(
        "docs/measured-runs.md",
        trace_row(data + std::string("/pipeline_traces/straggler_analysis/trace-") + job + ".csv", 3, true));
  }
}

TEST(DocumentFigures, BarsOfFigure1AreTodays) {
  const std::string some = is_nightly() ? "" : " LLaMA3";
  const std::string tables =
      output_of("bench/paper_tables.sh '" SPILLWAY_PROGRAM "' '" SPILLWAY_TABLE_1 "'" + some);
  static const std::regex bar(R"(\| (LLaMA3|DeepSeek) \| (\d+)\S* % \| (\S+ %) \|)");
  const std::string page = document("docs/paper.md").text;
  std::size_t count = 0;
  for (std::sregex_iterator at(tables.begin(), tables.end(), bar), end; at != end; ++at, ++count) {
    const std::string figure = "| Figure 1, " + (*at)[1].str() + " | ";
    const std::size_t row = page.find(figure);
    ASSERT_NE(row, std::string::npos) << figure;
    EXPECT_NE(page.find("| " + (*at)[3].str() + " |", row), std::string::npos) << figure << (*at)[3];
  }
  EXPECT_EQ(count, is_nightly() ? 2u : 1u);
}

// `explain` prints "24.31, 15.85, 10.83, 15.85 and 4.33 %" one after the other.
TEST(DocumentFigures, BubbleRatesAreTodays) {
  const std::string report =
      output_of("'" SPILLWAY_PROGRAM "' explain workloads/experiments/zero-bubble.json");
  static const std::regex rate(R"(([0-9.]+)\s+%\s+of\s+the\s+longest\s+span)");
  std::vector<std::string> rates;
  for (std::sregex_iterator at(report.begin(), report.end(), rate), end; at != end; ++at)
    rates.push_back((*at)[1]);
  ASSERT_EQ(rates.size(), 5U);
  expect_said("docs/quickstart.md",
              rates[0] + ", " + rates[1] + ", " + rates[2] + ", " + rates[3] + " and " + rates[4] + " %");
}

TEST(DocumentFigures, GainsOfTransposingAreTodays) {
  const std::string some = is_nightly() ? "" : " frozen";
  std::istringstream rows(output_of("bench/transposed.sh '" SPILLWAY_PROGRAM "'" + some));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) expect_said("docs/schedules.md", row);
  EXPECT_EQ(count, is_nightly() ? 33u : 16u);  // two tables, and the line between
}

TEST(DocumentFigures, SensitivityOfExperimentAIsTodays) {
  const std::string some = is_nightly() ? "" : " '8 | 16 | 250'";
  std::istringstream rows(output_of("bench/sensitivity.sh '" SPILLWAY_PROGRAM "'" + some));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) expect_said("docs/paper.md", row);
  EXPECT_EQ(count, is_nightly() ? 41u : 6u);  // two tables, and the line between
}

TEST(DocumentFigures, ChoicesOfExperimentBAreTodays) {
  const std::string some = is_nightly() ? "" : " choices";
  std::istringstream rows(output_of("bench/experiment_b.sh '" SPILLWAY_PROGRAM "'" + some));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) expect_said("docs/paper.md", row);
  EXPECT_EQ(count, is_nightly() ? 13u : 8u);  // two tables, and the line between
}

}  // namespace
