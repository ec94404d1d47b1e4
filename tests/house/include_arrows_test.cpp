// The house's arrows, held against the #include lines of src/ and sim/.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// Folder -> the folders it is allowed to rest on directly; what those rest on is allowed too.
const std::map<std::string, Names> kArrows = {
    {"base", {}},
    {"model", {"base"}},
    {"schedule", {"model"}},
    {"platform", {"base"}},
    {"order", {"base"}},
    {"workload", {"base"}},
    {"derive", {"schedule", "order"}},
    {"cost", {"derive", "workload", "platform"}},
    {"timing", {"derive"}},
    {"maxplus", {"timing"}},
    {"memory", {"cost", "timing"}},
    {"sim", {"cost", "timing"}},
    {"spec", {"cost"}},
    {"measured", {"spec", "timing"}},
    {"sweep", {"sim", "spec", "memory", "maxplus"}},
    {"store", {"sweep"}},
    {"runner", {"sweep"}},
    {"report", {"sweep", "measured"}},
    {"cli", {"report", "store", "runner"}},
};

// Third party, by how its includes begin -> the only folders that may include it.
const std::map<std::string, Names> kThirdParties = {
    {"nlohmann/", {"spec", "measured", "report"}},
    {"rapidjson/", {"measured"}},
    {"simgrid/", {"sim"}},
    {"boost/graph/", {"order", "maxplus"}},
    {"Eigen/", {"maxplus", "measured"}},
    {"zlib.h", {"measured"}},
    {"boost/math/", {"sweep", "measured", "report"}},
    {"fmt/", {"report"}},
    {"SQLiteCpp/", {"store"}},
    {"sqlite3.h", {"store"}},
    {"xxhash.h", {"spec", "sweep", "store"}},
    {"mpi.h", {"runner"}},
    {"CLI/", {"cli"}},
};

struct Include {
  std::string file;    // relative to the repository
  std::string folder;  // whose it is
  std::string path;    // what it includes
  bool quoted;         // "ours", not <theirs>
};

// The includes in one source text, in order.
std::vector<Include> includes_of(std::istream& source, const std::string& file, const std::string& folder) {
  static const std::regex line_form(R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> found;
  for (std::string line; std::getline(source, line);) {
    std::smatch part;
    if (std::regex_match(line, part, line_form)) found.push_back({file, folder, part[2], part[1] == "\""});
  }
  return found;
}

std::vector<Include> includes_under(const fs::path& root, const std::string& top) {
  std::vector<Include> all;
  for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
    const fs::path path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    const fs::path inside = fs::relative(path, root);
    const std::string folder = top == "src" ? std::next(inside.begin())->string() : top;
    std::ifstream source(path);
    const auto found = includes_of(source, inside.string(), folder);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

// Everything `folder` may include: itself and all it rests on.
Names reach(const std::string& folder) {
  Names reached = {folder};
  for (const std::string& below : kArrows.at(folder)) reached.merge(reach(below));
  return reached;
}

bool allowed(const Include& include) {
  if (!kArrows.contains(include.folder)) return false;
  if (include.quoted) return reach(include.folder).contains(include.path.substr(0, include.path.find('/')));
  for (const auto& [start, owners] : kThirdParties)
    if (include.path.starts_with(start)) return owners.contains(include.folder);
  return true;
}

std::vector<std::string> forbidden(const std::vector<Include>& includes) {
  std::vector<std::string> lines;
  for (const Include& include : includes)
    if (!allowed(include)) lines.push_back(include.file + " may not include " + include.path);
  return lines;
}

std::vector<std::string> forbidden_in(const std::string& folder, const std::string& text) {
  std::istringstream source(text);
  return forbidden(includes_of(source, "file", folder));
}

TEST(IncludeArrows, HoldInSrcAndSim) {
  std::vector<Include> all = includes_under(SPILLWAY_SOURCE_DIR, "src");
  const std::vector<Include> sim = includes_under(SPILLWAY_SOURCE_DIR, "sim");
  all.insert(all.end(), sim.begin(), sim.end());
  EXPECT_GT(all.size(), 100u);  // the sources were found and read
  EXPECT_EQ(forbidden(all), std::vector<std::string>{});
}

TEST(IncludeArrows, AnArrowBackIsSeen) {
  EXPECT_EQ(forbidden_in("order", "#include \"derive/derive.h\"\n"),
            std::vector<std::string>{"file may not include derive/derive.h"});
  EXPECT_EQ(forbidden_in("cli", "#include \"base/id.h\"\n"), std::vector<std::string>{});
}

TEST(IncludeArrows, AThirdPartyOutsideItsHomeIsSeen) {
  EXPECT_EQ(forbidden_in("derive", "#include <nlohmann/json.hpp>\n").size(), 1u);
  EXPECT_EQ(forbidden_in("timing", "  # include <simgrid/s4u.hpp>\n").size(), 1u);
  EXPECT_EQ(forbidden_in("report", "#include <nlohmann/json.hpp>\n#include <vector>\n").size(), 0u);
}

TEST(IncludeArrows, AFolderOutsideTheTableIsSeen) {
  EXPECT_EQ(forbidden_in("helpers", "#include <vector>\n").size(), 1u);
}

}  // namespace
