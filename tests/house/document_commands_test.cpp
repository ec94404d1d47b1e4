// The commands in the documents work, and print what the documents quote. Every ```sh block is run, as it
// stands, in a scratch copy of the repository that holds the program at build/spillway. A ```text block is
// the output of the ```sh block before it, standard output and errors: its lines follow each other there, and
// a line `...` stands for any others. A block that takes seconds, or needs what such a block writes, has the
// line kSlow before it: `make nightly` runs it, and every other run reads its commands without running them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "house/documents.h"
#include "support/nightly.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using spillway::testing::Document;
using spillway::testing::is_nightly;

// `make run` runs the built program. Other lines that begin like these are left out: they fetch, build or
// install the program, or run this test. Those of pip are run by tests/install/pip.sh, all by newcomer.sh
// there.
constexpr std::array<std::string_view, 7> kNotRun = {
    "git clone", "cd spillway", "make", ".ci/run", "cmake/setup.sh", "/usr/bin/python3 -m venv", "out/env/"};

// DocumentFigures runs these lines, too, and compares the page's figures: each takes seconds or half a
// minute.
constexpr std::array<std::string_view, 5> kRunForTheirFigures = {
    "bench/experiment_b.sh", "bench/paper_tables.sh", "bench/sensitivity.sh", "bench/transposed.sh",
    "build/spillway run workloads/experiments/experiment-a.json --set /schedules/0/order=makespan"};

// No page shows this line.
constexpr std::string_view kSlow = "<!-- slow: make nightly runs it -->";

// Debian's Python has PyTorch, if any has. It is looked for without its import, which takes seconds.
bool has_torch() {
  static const bool found = std::system(
                                "/usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not "
                                "importlib.util.find_spec(\"torch\"))' "
                                "> /dev/null 2>&1") == 0;
  return found;
}

std::string as_run(const std::string& line) {
  // What needs PyTorch writes there, and what reads that finds nothing without.
  for (const char* written : {"out/trained", "out/measured"})
    if (line.find(written) != std::string::npos && !has_torch()) return "";
  if (line == "make run") return "make --silent --assume-old=build run\n";
  for (std::string_view start : kNotRun)
    if (line.starts_with(start)) return "";
  if (std::ranges::find(kRunForTheirFigures, line) != kRunForTheirFigures.end()) return "";
  return line + '\n';
}

// The quick form of a block whose output no quote holds: it shows that its commands are taken, which few
// draws show.
std::string with_few_draws(const std::string& script) {
  static const std::regex stated("/draws=[0-9]+"), run("build/spillway run workloads/experiments/");
  if (script.find("draws") != std::string::npos) return std::regex_replace(script, stated, "/draws=2");
  return std::regex_replace(script, run, "build/spillway run --draws 2 workloads/experiments/");
}

struct Block {
  std::string script;
  std::vector<std::string> quotes = {};
  bool slow = false;
  bool operator==(const Block&) const = default;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << block.script;
  for (const std::string& quote : block.quotes) *out << "quoted:\n" << quote;
}

std::vector<Block> blocks_of(const std::string& markdown) {
  std::vector<Block> blocks;
  std::string* inside = nullptr;
  std::istringstream lines(markdown);
  for (std::string line, before; std::getline(lines, line); before = line) {
    if (!line.starts_with("```")) {
      if (inside) *inside += inside == &blocks.back().script ? as_run(line) : line + '\n';
    } else if (line == "```sh") {
      inside = &blocks.emplace_back().script;
      blocks.back().slow = before == kSlow;
    } else if (line == "```text" && !blocks.empty()) {
      inside = &blocks.back().quotes.emplace_back();
    } else {
      inside = nullptr;
    }
  }
  std::erase_if(blocks, [](const Block& block) { return block.script.empty() && block.quotes.empty(); });
  return blocks;
}

// Returns the text without the blanks that tables leave at the ends of lines.
std::string trimmed(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    all += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  return all;
}

// Returns the first passage of a quote, between lines `...`, that is not found after those before it.
std::optional<std::string> not_printed(const std::string& quote, const std::string& printed) {
  std::istringstream lines(quote + "...\n");
  std::string passage;
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line != "...") {
      passage += line + '\n';
      continue;
    }
    at = printed.find(passage, at);
    if (at == std::string::npos) return passage;
    at += passage.size();
    passage.clear();
  }
  return std::nullopt;
}

// The repository as links. The folders that builds and runs write belong to the scratch copy.
class ScratchCopy {
 public:
  ScratchCopy() {
    for (const auto& entry : fs::directory_iterator(SPILLWAY_SOURCE_DIR)) {
      const std::string entry_name = entry.path().filename().string();
      if (entry_name.starts_with("build") || entry_name == "out" || entry_name == ".git") continue;
      fs::create_symlink(entry.path(), root_ / entry_name);
    }
    fs::create_directory(root_ / "build");
    fs::create_symlink(SPILLWAY_PROGRAM, root_ / "build/spillway");
    fs::create_symlink(SPILLWAY_TABLE_1, root_ / "build/bench-table-1");
  }

  // Returns the exit status and everything printed.
  std::pair<int, std::string> run(const std::string& script) const {
    std::ofstream(root_ / "block.sh") << script;
    const std::string command =
        "cd '" + root_.string() +
        "' && PYTHONPATH=src/python OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash -euo "
        "pipefail block.sh > printed.txt 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    std::ifstream printed(root_ / "printed.txt");
    return {status, {std::istreambuf_iterator<char>(printed), {}}};
  }

 private:
  const spillway::testing::TemporaryFolder temporary_;
  const fs::path root_ = temporary_.path();
};

// Returns the first match of each occurrence.
std::vector<std::string> all_of(const std::string& text, const std::regex& form) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// Returns what a slow block names that is not there: files of the repository, and options of the program.
std::vector<std::string> not_there(const std::string& script, const ScratchCopy& copy) {
  static const std::regex continued(R"(\\\n)"), option(R"( (--[a-z-]+))"),
      file(R"((?:^|[\s='"])((?:bench|docs|examples|platforms|tests|workloads)/[\w./-]*\w))"),
      command(R"((build/spillway [a-z]+(?: (?:export|merge|plot)\b)?)([^|;&\n]*))");
  static std::map<std::string, std::string> helps;
  std::vector<std::string> missing;
  for (const std::string& named : all_of(script, file))
    if (!fs::exists(fs::path(SPILLWAY_SOURCE_DIR) / named)) missing.push_back(named);
  const std::string lines = std::regex_replace(script, continued, " ");
  for (std::sregex_iterator at(lines.begin(), lines.end(), command), end; at != end; ++at) {
    std::string& help = helps[(*at)[1]];
    if (help.empty()) help = copy.run((*at)[1].str() + " --help\n").second;
    for (const std::string& named : all_of((*at)[2], option))
      if (help.find(named + ' ') == std::string::npos) missing.push_back((*at)[1].str() + ' ' + named);
  }
  return missing;
}

// Returns the quotes of a block, and every day also those of slow blocks with the same commands on any page.
std::vector<std::string> quotes_of(const Block& block) {
  std::vector<std::string> quotes = block.quotes;
  if (is_nightly()) return quotes;
  for (const Document& page : spillway::testing::documents())
    for (const Block& other : blocks_of(page.text))
      if (other.slow && other.script == block.script)
        quotes.insert(quotes.end(), other.quotes.begin(), other.quotes.end());
  return quotes;
}

class DocumentCommands : public ::testing::TestWithParam<Document> {};

TEST_P(DocumentCommands, RunAndPrintWhatIsQuoted) {
  const ScratchCopy copy;
  int left = 0;
  for (const Block& block : blocks_of(GetParam().text)) {
    if (block.slow && !is_nightly()) {
      EXPECT_EQ(copy.run("bash -n <<'SLOW'\n" + block.script + "SLOW\n").first, 0) << block.script;
      EXPECT_EQ(not_there(block.script, copy), std::vector<std::string>()) << block.script;
      ++left;
      continue;
    }
    const std::vector<std::string> quotes = quotes_of(block);
    const bool quick = quotes.empty() && !is_nightly();
    const auto [status, printed] = copy.run(quick ? with_few_draws(block.script) : block.script);
    EXPECT_EQ(status, 0) << block.script << "printed:\n" << printed;
    for (const std::string& quote : quotes)
      EXPECT_EQ(not_printed(quote, trimmed(printed)), std::nullopt) << block.script << "printed:\n"
                                                                    << printed;
  }
  if (left > 0) std::cout << left << " blocks are read here, and run by `make nightly`\n";
}

// Returns docs/plan.md as docs_plan_md.
std::string as_test_name(const ::testing::TestParamInfo<Document>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, DocumentCommands, ::testing::ValuesIn(spillway::testing::documents()),
                         as_test_name);

// Without this test a page moved away, or fences that are no longer read, would pass in silence.
TEST(DocumentCommands, AreFoundInTheDocuments) {
  std::size_t blocks = 0, quotes = 0;
  for (const Document& each : spillway::testing::documents())
    for (const Block& block : blocks_of(each.text)) {
      ++blocks;
      quotes += block.quotes.size();
    }
  EXPECT_GE(blocks, 13u);
  EXPECT_GE(quotes, 1u);
}

// README.md's commands run every day. A line kSlow that no commands follow would say what is not so.
TEST(DocumentCommands, AreSlowWhereThePageSaysSo) {
  for (const Document& each : spillway::testing::documents()) {
    const std::vector<Block> blocks = blocks_of(each.text);
    std::size_t said = 0;
    for (std::size_t at = 0; (at = each.text.find(kSlow, at)) != std::string::npos; ++at) ++said;
    EXPECT_EQ(std::ranges::count(blocks, true, &Block::slow), said) << each.name;
    EXPECT_TRUE(said == 0 || each.name != "README.md");
  }
}

TEST(DocumentCommands, BlocksAreReadAsWritten) {
  const std::string markdown =
      "text\n```sh\nmake run\nls\necho a \\\n  b\n```\n```json\n{}\n```\n```text\na b\n```\n```sh\nmake "
      "test\n```\n<!-- slow: make nightly runs it -->\n```sh\nsleep 9\n```\n";
  EXPECT_EQ(blocks_of(markdown),
            (std::vector<Block>{{"make --silent --assume-old=build run\nls\necho a \\\n  b\n", {"a b\n"}},
                                {"sleep 9\n", {}, true}}));
}

TEST(DocumentCommands, WhatASlowBlockNamesIsThere) {
  const ScratchCopy copy;
  EXPECT_EQ(not_there("build/spillway sweep export a.sqlite --format csv > workloads/none.csv\n"
                      "build/spillway run workloads/experiments/small.json \\\n  --nonsense /x=1 --json\n",
                      copy),
            (std::vector<std::string>{"workloads/none.csv", "build/spillway run --nonsense"}));
}

TEST(DocumentCommands, DrawFewWhereNothingIsQuoted) {
  EXPECT_EQ(with_few_draws("build/spillway run workloads/experiments/a.json \\\n  --set /x=1\n"),
            "build/spillway run --draws 2 workloads/experiments/a.json \\\n  --set /x=1\n");
  EXPECT_EQ(with_few_draws("build/spillway run workloads/experiments/a.json --set /draws=64\n"),
            "build/spillway run workloads/experiments/a.json --set /draws=2\n");
  EXPECT_EQ(with_few_draws("build/spillway run workloads/experiments/a.json --draws 1\n"),
            "build/spillway run workloads/experiments/a.json --draws 1\n");
}

TEST(DocumentCommands, AFailingBlockIsSeen) {
  const ScratchCopy copy;
  EXPECT_NE(copy.run("false\ntrue\n").first, 0);
  EXPECT_EQ(copy.run("test -x build/spillway\n").first, 0);
}

TEST(DocumentCommands, AWrongQuoteIsSeen) {
  EXPECT_EQ(not_printed("a\n...\nc\nd\n", "a\nb\nc\nd\ne\n"), std::nullopt);
  EXPECT_EQ(not_printed("a\nc\n", "a\nb\nc\n"), "a\nc\n");
  EXPECT_EQ(not_printed("b\n...\na\n", "a\nb\n"), "a\n");
}

}  // namespace
