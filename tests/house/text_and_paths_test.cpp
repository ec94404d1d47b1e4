// Forbidden ways of the sources of src/ and sim/ to treat text and paths that come from outside, and of tests
// to write files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Rule {
  const char* why;
  std::function<bool(const std::string& file, const std::string& line)> broken;
};

bool has(const std::string& line, const std::string& word) {
  return line.find(word) != std::string::npos;
}

// Returns whether std::filesystem:: or fs:: comes before another name than path or file_type.
bool asks_the_file_system(const std::string& line) {
  for (const std::string prefix : {"std::filesystem::", "fs::"})
    for (std::size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix, at + 1)) {
      const std::string rest = line.substr(at + prefix.size());
      if (!rest.starts_with("path") && !rest.starts_with("file_type")) return true;
    }
  return false;
}

bool names_a_standard_stream(const std::string& line) {
  for (const std::string stream :
       {"std::cout", "std::cerr", "std::clog", "stderr,", "stderr)", "stdout,", "stdout)"})
    if (has(line, stream)) return true;
  return false;
}

const std::vector<Rule> kRules = {
    {"std::regex recurses on its input: 30,000 blanks end the program",
     [](const std::string&, const std::string& line) { return has(line, "regex"); }},
    {"a path that cannot be looked at must not throw: ask base/files.h",
     [](const std::string& file, const std::string& line) {
       if (file == "src/base/files.cpp")
         return asks_the_file_system(line) && !has(line, "error") && has(line, "(");
       return asks_the_file_system(line);
     }},
    {"only the program's own commands write to the standard streams, through the guard that main.cpp sets",
     [](const std::string& file, const std::string& line) {
       const bool flushes = file == "src/sweep/run/ranks.cpp" && has(line, "std::cout.flush()");
       return names_a_standard_stream(line) && !file.starts_with("src/cli/") && !flushes;
     }},
    {"text goes to a terminal through std::cout and std::cerr, which are guarded",
     [](const std::string& file, const std::string& line) {
       const bool formats = has(line, "snprintf(");
       return !formats && (has(line, "printf(") || has(line, "std::puts(") || has(line, "std::clog") ||
                           (file.starts_with("src/cli/") && has(line, "stderr")));
     }},
    {"nlohmann's dump throws on text that is no UTF-8: use json/dumped.h",
     [](const std::string& file, const std::string& line) {
       return has(line, ".dump(") && file != "src/json/dumped.cpp";
     }},
    {"a share of nearly nothing is shown as \"-0.0 %\": use percent or signed_percent of words/wording.h",
     [](const std::string& file, const std::string& line) {
       return has(line, "f} %") && !file.starts_with("src/words/");
     }},
};

Lines broken_in(std::istream& source, const std::string& file) {
  Lines found;
  std::size_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    const std::string code = line.substr(0, line.find("//"));
    for (const Rule& rule : kRules)
      if (rule.broken(file, code))
        found.push_back(file + ":" + std::to_string(number) + ": " + line + "\n  " + rule.why);
  }
  return found;
}

std::size_t broken_by(const std::string& text, const std::string& file = "src/input/some.cpp") {
  std::istringstream source(text);
  return broken_in(source, file).size();
}

TEST(TextAndPaths, RulesHoldInSrcAndSim) {
  std::size_t files = 0;
  for (const char* top : {"src", "sim"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      const fs::path path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ifstream source(path);
      for (const std::string& line : broken_in(source, fs::relative(path, SPILLWAY_SOURCE_DIR).string()))
        ADD_FAILURE() << line;
      ++files;
    }
  EXPECT_GT(files, 300u);  // the sources were found and read
}

// The program guards both streams before it does anything.
TEST(TextAndPaths, MainGuardsTheStreams) {
  std::ifstream source(fs::path(SPILLWAY_SOURCE_DIR) / "src/cli/main.cpp");
  std::string text((std::istreambuf_iterator<char>(source)), {});
  text = text.substr(std::min(text.find("int main("), text.size()));
  for (const std::string guarded : {"PrintableStream out(std::cout", "PrintableStream errors(std::cerr"})
    EXPECT_LT(text.find(guarded), text.find("execute(")) << guarded;
}

// Tests that run side by side and write one file read each other's.
TEST(TextAndPaths, TestsWriteIntoFoldersOfTheirOwn) {
  std::size_t users = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / "tests")) {
    const fs::path path = fs::relative(entry.path(), SPILLWAY_SOURCE_DIR);
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    if (path == "tests/support/temporary_folder.h" || path == "tests/house/text_and_paths_test.cpp") continue;
    std::ifstream source(entry.path());
    const std::string text((std::istreambuf_iterator<char>(source)), {});
    users += has(text, "TemporaryFolder");
    for (const char* shared : {"temp_directory_path", "TempDir()", "\"/tmp", "tmpnam", "mkdtemp"})
      EXPECT_FALSE(has(text, shared)) << path << ": " << shared << ": use support/temporary_folder.h";
  }
  EXPECT_GT(users, 20u);
}

TEST(TextAndPaths, WhatBreaksARuleIsSeen) {
  EXPECT_EQ(broken_by("#include <regex>\n"), 1u);
  EXPECT_EQ(broken_by("if (std::filesystem::is_directory(path)) return;\n"), 1u);
  EXPECT_EQ(broken_by("for (const auto& entry : fs::directory_iterator(folder))\n"), 1u);
  EXPECT_EQ(broken_by("return fs::exists(path);\n", "src/base/files.cpp"), 1u);
  EXPECT_EQ(broken_by("return fs::exists(path, error);\n", "src/base/files.cpp"), 0u);
  EXPECT_EQ(broken_by("std::cout << name;\n"), 1u);
  EXPECT_EQ(broken_by("std::cout << name;\n", "src/cli/run.cpp"), 0u);
  EXPECT_EQ(broken_by("std::printf(\"%s\", name);\n"), 1u);
  EXPECT_EQ(broken_by("std::snprintf(text, 8, \"%g\", x); fs::path p; // a regex\n"), 0u);
  EXPECT_EQ(broken_by("out << document.dump(2);\n"), 1u);
  EXPECT_EQ(broken_by("fmt::format(\"{:.1f} %\", 100 * share);\n"), 1u);
}

}  // namespace
