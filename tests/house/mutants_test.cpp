// Every planted fault of tests/mutants applies to the sources as they are, and states what it breaks and
// which test notices. Whoever changes a line with a planted fault plants it again.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SPILLWAY_SOURCE_DIR;

// git must not find a repository that contains these sources.
int git(const std::string& arguments) {
  return std::system(("cd '" + kRoot.string() + "' && GIT_CEILING_DIRECTORIES='" +
                      kRoot.parent_path().string() + "' git " + arguments + " >/dev/null 2>&1")
                         .c_str());
}

// Returns what follows `beginning` in the line that begins with it, or "".
std::string said(const fs::path& file, const std::string& beginning) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(beginning)) return line.substr(beginning.size());
  return "";
}

// Returns "Suite.Name" of every test of GoogleTest and RapidCheck.
const std::set<std::string>& tests() {
  static const std::set<std::string> all = [] {
    static const std::regex form(R"((?:TEST|TEST_F|TEST_P|\w*PROP\w*)\(\s*(\w+),\s*(\w+))");
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      for (std::sregex_iterator test(text.begin(), text.end(), form), end; test != end; ++test)
        found.insert((*test)[1].str() + '.' + (*test)[2].str());
    }
    return found;
  }();
  return all;
}

// A pattern as --gtest_filter takes it. Of "Values/Suite.Name/value" the suite has to exist.
bool names_a_test(const std::string& pattern) {
  const std::size_t dot = pattern.find('.'), slash = pattern.rfind('/', dot);
  const bool has_values = slash != std::string::npos && slash < dot;
  const std::string suite = pattern.substr(has_values ? slash + 1 : 0, dot - (has_values ? slash + 1 : 0));
  const std::string of_tests = has_values ? suite + ".*" : pattern;
  return std::ranges::any_of(
      tests(), [&](const std::string& test) { return fnmatch(of_tests.c_str(), test.c_str(), 0) == 0; });
}

// Returns true if a patch's "killed by" is a Python test, or a program with a filter that names tests.
bool is_tried(const std::string& killed_by) {
  if (killed_by.starts_with("python3 ")) return true;
  const std::string option = " --gtest_filter=";
  const std::size_t at = killed_by.find(option);
  if (at == std::string::npos) return false;
  std::istringstream patterns(killed_by.substr(at + option.size()));
  for (std::string pattern; std::getline(patterns, pattern, ':');)
    if (!names_a_test(pattern)) return false;
  return true;
}

TEST(Mutants, ApplyAndSayWhatTheyBreakAndWhatNotices) {
  if (git("--version") != 0) GTEST_SKIP() << "there is no git";
  // One process for all; which patches do not apply is asked one by one.
  const bool all_apply = git("apply --check -C1 tests/mutants/*.patch") == 0;
  int faults = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/mutants")) {
    if (entry.path().extension() != ".patch") continue;
    if (!all_apply) {
      EXPECT_EQ(git("apply --check -C1 'tests/mutants/" + entry.path().filename().string() + "'"), 0)
          << entry.path().filename();
    }
    EXPECT_NE(said(entry.path(), "# breaks: "), "") << entry.path().filename();
    const std::string killed_by = said(entry.path(), "# killed by: ");
    EXPECT_TRUE(is_tried(killed_by)) << entry.path().filename() << ": " << killed_by;
    ++faults;
  }
  EXPECT_GT(faults, 10);
}

TEST(Mutants, WhoseTestIsMisnamedAreSeen) {
  EXPECT_TRUE(is_tried("house_test --gtest_filter=Mutants.*:Mutants.WhoseTestIsMisnamedAreSeen"));
  EXPECT_TRUE(is_tried("house_test --gtest_filter=All/DocumentCommands.*docs_plan*"));
  EXPECT_FALSE(is_tried("house_test --gtest_filter='Mutants.WhoseTestIsMisnamedAreSeen'"));
  EXPECT_FALSE(is_tried("house_test --gtest_filter=Mutants.*:Mutants.NobodyKnows"));
  EXPECT_FALSE(is_tried("house_test Mutants.WhoseTestIsMisnamedAreSeen"));
}

}  // namespace
