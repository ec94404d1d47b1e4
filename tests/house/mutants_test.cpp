// Every planted fault of tests/mutants applies to the sources as they are, and states what it breaks and
// which test notices. Whoever changes a line with a planted fault plants it again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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

bool has_line(const fs::path& file, const std::string& beginning) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(beginning) && line.size() > beginning.size()) return true;
  return false;
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
    EXPECT_TRUE(has_line(entry.path(), "# breaks: ")) << entry.path().filename();
    EXPECT_TRUE(has_line(entry.path(), "# killed by: ")) << entry.path().filename();
    ++faults;
  }
  EXPECT_GT(faults, 10);
}

}  // namespace
