// In C++20, a range-for destroys the temporaries of its range before the first element, except for the last
// one. A loop over evaluate(job).schedules.front().draws reads freed memory, and only a sanitizer reports it,
// if at all. So a range that begins with a call with arguments may continue only with names of members;
// otherwise the result of the call gets a name.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Returns the place after the bracket that closes the one at `at`, or the end of the text if none does.
std::size_t behind_bracket(const std::string& text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (std::string_view("([{").find(text[at]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[at]) != std::string_view::npos && --depth == 0) return at + 1;
  }
  return at;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

bool may_dangle(const std::string& range) {
  std::size_t at = 0;
  while (at < range.size() && is_of_name(range[at])) ++at;
  const bool makes = at > 0 && at + 1 < range.size() && range[at] == '(' && range[at + 1] != ')';
  if (!makes || range.starts_with("std::")) return false;
  return range.find_first_of("([", behind_bracket(range, at)) != std::string::npos;
}

// Returns the ranges of a text's range-fors: for (DECLARATION : RANGE).
std::vector<std::string> ranges(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = text.find("for ("); at != std::string::npos; at = text.find("for (", at + 1)) {
    const std::size_t end = behind_bracket(text, at + 4);
    const std::string head = text.substr(at + 5, end - at - 6);
    const std::size_t colon = head.find(" : ");
    if (colon != std::string::npos && head.find(';') == std::string::npos)
      all.push_back(head.substr(colon + 3));
  }
  return all;
}

TEST(Ranges, OutliveTheirLoops) {
  std::size_t found = 0;
  for (const char* top : {"src", "sim", "tests", "bench"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ifstream file(path);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (const std::string& range : ranges(text)) {
        ++found;
        EXPECT_FALSE(may_dangle(range)) << path << ": " << range;
      }
    }
  EXPECT_GT(found, 2000u);  // the sources were found and read
}

TEST(Ranges, ThatMayDangleAreSeen) {
  EXPECT_TRUE(may_dangle("evaluate(job, {}).schedules.front().draws"));
  EXPECT_TRUE(may_dangle("PlanningDraws::expected(experiment).numbers()"));
  EXPECT_TRUE(may_dangle("outcomes(of(one))[0].draws"));
  EXPECT_FALSE(may_dangle("evaluate(job).schedules"));
  EXPECT_FALSE(may_dangle("under().priced_operators(order)"));
  EXPECT_FALSE(may_dangle("makespans(run(job).schedules[0])"));
  EXPECT_FALSE(may_dangle("std::span(tokens).first(3)"));
  EXPECT_EQ(ranges("for (int i = 0; i < f(1); ++i) for (const auto& [a, b] : g(1)) h();"),
            std::vector<std::string>{"g(1)"});
}

}  // namespace
