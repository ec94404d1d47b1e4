// What the README tells people to type works: every ```sh block is run, as it stands, in a scratch copy of
// the repository that holds the program at build/spillway.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Lines that begin so are left out: they fetch or build the program, or run this test.
constexpr std::array<std::string_view, 4> kNotRun = {"git clone", "cd spillway", "make", ".ci/run"};

bool is_run(std::string_view line) {
  for (std::string_view start : kNotRun)
    if (line.starts_with(start)) return false;
  return true;
}

// One script per fenced sh block, the lines that are not run left out.
std::vector<std::string> scripts_of(std::istream& markdown) {
  std::vector<std::string> scripts;
  bool inside = false;
  for (std::string line; std::getline(markdown, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
      if (inside) scripts.emplace_back();
    } else if (inside && is_run(line)) {
      scripts.back() += line + '\n';
    }
  }
  std::erase(scripts, "");
  return scripts;
}

// The repository as links, but for what builds and runs write: those folders are the scratch copy's own.
class ScratchCopy {
 public:
  ScratchCopy() {
    std::string name = (fs::temp_directory_path() / "spillway-readme-XXXXXX").string();
    root_ = mkdtemp(name.data());
    for (const auto& entry : fs::directory_iterator(SPILLWAY_SOURCE_DIR)) {
      const std::string entry_name = entry.path().filename().string();
      if (entry_name.starts_with("build") || entry_name == "out" || entry_name == ".git") continue;
      fs::create_symlink(entry.path(), root_ / entry_name);
    }
    fs::create_directory(root_ / "build");
    fs::create_symlink(SPILLWAY_PROGRAM, root_ / "build/spillway");
    fs::create_symlink(SPILLWAY_TABLE_1, root_ / "build/bench-table-1");
  }
  ~ScratchCopy() { fs::remove_all(root_); }
  ScratchCopy(const ScratchCopy&) = delete;
  ScratchCopy& operator=(const ScratchCopy&) = delete;

  // Exit status and everything printed.
  std::pair<int, std::string> run(const std::string& script) const {
    std::ofstream(root_ / "block.sh") << script;
    const std::string command =
        "cd '" + root_.string() + "' && bash -euo pipefail block.sh > printed.txt 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    std::ifstream printed(root_ / "printed.txt");
    return {status, {std::istreambuf_iterator<char>(printed), {}}};
  }

 private:
  fs::path root_;
};

TEST(Readme, EveryShellBlockExitsWithZero) {
  std::ifstream readme(fs::path(SPILLWAY_SOURCE_DIR) / "README.md");
  const std::vector<std::string> scripts = scripts_of(readme);
  ASSERT_FALSE(scripts.empty()) << "README.md has no sh block to run";
  const ScratchCopy copy;
  for (const std::string& script : scripts) {
    const auto [status, printed] = copy.run(script);
    EXPECT_EQ(status, 0) << script << "printed:\n" << printed;
  }
}

TEST(Readme, BlocksAreReadAsWritten) {
  std::istringstream markdown(
      "text\n```sh\nmake run\nls\necho a \\\n  b\n```\n```json\n{}\n```\n```sh\nmake test\n```\n");
  EXPECT_EQ(scripts_of(markdown), std::vector<std::string>{"ls\necho a \\\n  b\n"});
}

TEST(Readme, AFailingBlockIsSeen) {
  const ScratchCopy copy;
  EXPECT_NE(copy.run("false\ntrue\n").first, 0);
  EXPECT_EQ(copy.run("test -x build/spillway\n").first, 0);
}

}  // namespace
