// The rows of docs/plans.md, on the smallest job of its ten, are those of the program today. `make nightly`
// holds all rows to it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>

#include "house/documents.h"
#include "support/nightly.h"

namespace {

using spillway::testing::expect_said;

std::string rows_of(const std::string& jobs) {
  const std::string shell = "cd '" SPILLWAY_SOURCE_DIR "' && python3 bench/ten_jobs.py '" SPILLWAY_PROGRAM
                            "' " + jobs;
  FILE* const pipe = popen(shell.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), read);
  EXPECT_EQ(pclose(pipe), 0) << shell;
  return text;
}

TEST(DocumentJobs, RowsAreTodays) {
  const bool whole = spillway::testing::is_nightly();
  std::istringstream lines(rows_of(whole ? "" : "qwen3-30b-a3b"));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    expect_said("docs/plans.md", line);
    ++rows;
  }
  EXPECT_GE(rows, whole ? 40 : 8);  // with the heads of two tables
}

}  // namespace
