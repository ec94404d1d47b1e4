// Each room has a README with a section for each inner room. The files that READMEs, CONTRIBUTING.md and
// comments name exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const fs::path kHouse = SPILLWAY_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_sources(const fs::path& folder) {
  return std::any_of(fs::directory_iterator(folder), {},
                     [](const auto& entry) { return entry.path().extension() == ".cpp"; });
}

Names folders_in(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  return names;
}

std::vector<fs::path> rooms() {
  std::vector<fs::path> found = {kHouse / "sim"};
  for (const std::string& name : folders_in(kHouse / "src")) found.push_back(kHouse / "src" / name);
  return found;
}

// Returns the words of a text that look like files: letters, digits and ./_- with an ending of ours. A word
// with a star, or with NAME in it, stands for many files.
Names files_named(const std::string& text) {
  Names names;
  const auto belongs = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string("./_-").find(c) < 4;
  };
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), belongs);
    const std::string word(at, end);
    const bool starred = at != text.begin() && *(at - 1) == '*';
    const bool open = starred || word.find("NAME") != std::string::npos ||
                      (end != text.end() && (*end == '*' || *end == '{'));
    for (const char* ending : {".h", ".cpp", ".sh", ".json", ".csv", ".md", ".patch", ".txt"})
      if (word.ends_with(ending) && word.size() > std::string(ending).size() && !open) names.push_back(word);
    at = end == text.end() ? end : end + 1;
  }
  return names;
}

// Looks for a path from the room, src/ or the root, and for a bare name anywhere among our files.
bool is_there(const std::string& name, const fs::path& room) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const char* folder : {"src", "sim", "tests", "workloads", "platforms", "bench", "cmake"})
      for (const auto& entry : fs::recursive_directory_iterator(kHouse / folder))
        all.insert(entry.path().filename());
    for (const auto& entry : fs::directory_iterator(kHouse)) all.insert(entry.path().filename());
    return all;
  }();
  if (name.find('/') == std::string::npos) return names.contains(name);
  return fs::exists(room / name) || fs::exists(kHouse / "src" / name) || fs::exists(kHouse / name);
}

Names missing(const fs::path& document) {
  Names absent;
  for (const std::string& name : files_named(text_of(document)))
    if (!is_there(name, document.parent_path())) absent.push_back(name);
  return absent;
}

TEST(RoomReadmes, AreThereAndHaveASectionForEachInnerRoom) {
  for (const fs::path& room : rooms()) {
    const std::string text = text_of(room / "README.md");
    EXPECT_FALSE(text.empty()) << room << " has no README.md";
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 100) << room;
    for (const std::string& inner : folders_in(room))
      EXPECT_TRUE(!has_sources(room / inner) || text.find("\n## " + inner + "\n") != std::string::npos)
          << room << " says nothing of " << inner;
  }
}

TEST(RoomReadmes, NameFilesThatAreThere) {
  for (const fs::path& room : rooms()) EXPECT_EQ(missing(room / "README.md"), Names{}) << room;
}

TEST(Contributing, NamesFilesThatAreThere) {
  EXPECT_EQ(missing(kHouse / "CONTRIBUTING.md"), Names{});
}

// Returns the comments of a source file, line by line; other lines are empty.
std::string comments_of(const std::string& text) {
  std::string comments;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); comments += '\n') {
    const std::size_t at = line.find("//");
    const bool begins = at == line.find_first_not_of(' ');
    if (at != std::string::npos && (begins || (at > 1 && line.substr(at - 2, 2) == "  ")))
      comments += line.substr(at);
  }
  return comments;
}

// These are files of other projects, and files that CMake makes.
const std::set<std::string> kOthers = {
    "src/include/collectives.h", "et_feeder.cpp", "output_json.cpp", "zlib.h", "family_list.h",
    "trace_format_list.h",       "system_list.h"};

Names missing_sources(const fs::path& file) {
  Names absent;
  for (const std::string& name : files_named(comments_of(text_of(file)))) {
    const bool source = name.ends_with(".h") || name.ends_with(".cpp");
    if (source && !kOthers.contains(name) && !is_there(name, file.parent_path())) absent.push_back(name);
  }
  return absent;
}

TEST(Comments, NameSourcesThatAreThere) {
  std::size_t files = 0;
  for (const char* folder : {"src", "sim", "tests", "bench"})
    for (const auto& entry : fs::recursive_directory_iterator(kHouse / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      EXPECT_EQ(missing_sources(entry.path()), Names{}) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 1000u);
}

TEST(Comments, AreToldFromTexts) {
  EXPECT_EQ(comments_of("// a.h\nint b;  // c.h\nf(\"http://d.h\");\n"), "// a.h\n// c.h\n\n");
}

TEST(RoomReadmes, AFileThatIsGoneIsSeen) {
  EXPECT_EQ(files_named("`id.h`, `gone/a.cpp` (tests/NAME_test.cpp); a*.h, *_b.cpp."),
            (Names{"id.h", "gone/a.cpp"}));
  EXPECT_TRUE(is_there("id.h", kHouse / "src/base"));
  EXPECT_FALSE(is_there("gone/a.cpp", kHouse / "src/base"));
}

}  // namespace
