// What the README says of the paper's experiments is what the program says today.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::string kSource = SPILLWAY_SOURCE_DIR;

std::string readme() {
  std::ifstream in(kSource + "/README.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  const std::string shell = "cd '" + kSource + "' && " + command;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(shell.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), read);
  return text;
}

// "12.88 s, 1.262x" of the schedule's line in the first table.
std::string step_and_speedup(const std::string& report, const std::string& schedule) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, step, word;
    if (!(words >> name >> step) || name != schedule) continue;
    while (words >> word && word.back() != 'x') {
    }
    return step + " s, " + word;
  }
  return "no line of " + schedule;
}

TEST(ReadmeFigures, StepsAndSpeedupsAreTodays) {
  const std::string text = readme();
  for (const char* arguments :
       {"experiment-a.json", "experiment-a.json --set /model/blocks/0/trainable=false",
        "experiment-a.json --set /schedules/0/order=makespan",
        "experiment-a.json --set /schedules/0/schedule=transpose,zb-v",
        "experiment-a.json --set /schedules/0/schedule=transpose,dualpipev", "experiment-b.json",
        "experiment-b.json --set /workload/samples_per_microbatch=4",
        "experiment-b.json --set /workload/samples_per_microbatch=2"}) {
    const std::string report =
        output_of("'" SPILLWAY_PROGRAM "' run workloads/experiments/" + std::string(arguments));
    const std::string figures = step_and_speedup(report, "mpipe");
    EXPECT_NE(text.find(figures), std::string::npos) << arguments << ": " << figures;
  }
}

// The row of a table of measured steps, from the last lines that `validate` prints.
std::string accuracy_row(const std::string& table) {
  const std::string report =
      output_of("'" SPILLWAY_PROGRAM "' validate workloads/published/" + table + ".json");
  static const std::regex summary(
      R"(time, (not )?fitted, (\d+) cases: mean absolute error (\S+ %), largest (\S+ %), bias (\S+ %))");
  std::string fitted = "0", count, errors;
  for (std::sregex_iterator at(report.begin(), report.end(), summary), end; at != end; ++at) {
    if (!(*at)[1].matched) {
      fitted = (*at)[2];
      continue;
    }
    count = (*at)[2];
    errors = (*at)[3].str() + " | " + (*at)[4].str() + " | " + (*at)[5].str();
  }
  return "| " + table + " | " + count + " | " + fitted + " | " + errors + " |";
}

TEST(ReadmeFigures, ErrorsAgainstMeasuredStepsAreTodays) {
  const std::string text = readme();
  for (const char* table :
       {"vtrain-a100", "vtrain-a100-others", "simumax-b200", "nemo-h100", "megatron-bridge", "neusight"}) {
    const std::string row = accuracy_row(table);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

// "| LLaMA3 | 41.00 % | 44.66 % | ..."
TEST(ReadmeFigures, BarsOfFigure1AreTodays) {
  const std::string tables = output_of("bench/paper_tables.sh '" SPILLWAY_PROGRAM "' '" SPILLWAY_TABLE_1 "'");
  static const std::regex bar(R"(\| (LLaMA3|DeepSeek) \| (\d+)\S* % \| (\S+ %) \|)");
  std::size_t count = 0;
  for (std::sregex_iterator at(tables.begin(), tables.end(), bar), end; at != end; ++at, ++count) {
    const std::string figure = "| Figure 1, " + (*at)[1].str() + " | ";
    const std::size_t row = readme().find(figure);
    ASSERT_NE(row, std::string::npos) << figure;
    EXPECT_NE(readme().find("| " + (*at)[3].str() + " |", row), std::string::npos) << figure << (*at)[3];
  }
  EXPECT_EQ(count, 2U);
}

// "24.31, 15.85, 10.83, 15.85 and 4.33 %", as `explain` has them one after the other.
TEST(ReadmeFigures, BubbleRatesAreTodays) {
  const std::string report =
      output_of("'" SPILLWAY_PROGRAM "' explain workloads/experiments/zero-bubble.json");
  static const std::regex rate(R"(([0-9.]+)\s+%\s+are\s+idle)");
  std::vector<std::string> rates;
  for (std::sregex_iterator at(report.begin(), report.end(), rate), end; at != end; ++at)
    rates.push_back((*at)[1]);
  ASSERT_EQ(rates.size(), 5U);
  EXPECT_NE(readme().find(rates[0] + ", " + rates[1] + ", " + rates[2] + ", " + rates[3] + " and " +
                          rates[4] + " %"),
            std::string::npos);
}

TEST(ReadmeFigures, GainsOfTransposingAreTodays) {
  const std::string text = readme();
  std::istringstream rows(output_of("bench/transposed.sh '" SPILLWAY_PROGRAM "'"));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) EXPECT_NE(text.find(row), std::string::npos) << row;
  EXPECT_EQ(count, 33u);
}

TEST(ReadmeFigures, SensitivityOfExperimentAIsTodays) {
  const std::string text = readme();
  std::istringstream rows(output_of("bench/sensitivity.sh '" SPILLWAY_PROGRAM "'"));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) EXPECT_NE(text.find(row), std::string::npos) << row;
  EXPECT_EQ(count, 20u);
}

}  // namespace
