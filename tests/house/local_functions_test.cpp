// A room is compiled in batches of files (cmake/spillway.cmake), which share their unnamed namespaces and
// includes. There a file's function overloads a function of its name in another file, or in a header that
// only the other file includes. A call then takes the other function, in silence, if that fits its arguments
// better. The files that share a batch change with every file added. So in a room no file's function may have
// a name by which such a function can be called with the same number of arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "functions.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Source {
  std::vector<Function> functions;
  Names includes;  // our headers, and those that they include, from the repository
};

// Sources by the file's name, from the repository; each is read once.
class Sources {
 public:
  const Source& at(const std::string& file) {
    const auto [place, added] = known_.try_emplace(file);
    if (added) read(file, place->second);
    return place->second;
  }

 private:
  void read(const std::string& file, Source& source) {
    static const std::regex include(R"re(\n#include "([^"]+)")re");
    const std::string text = '\n' + text_of(root_ / file);
    source.functions = functions_of(text, file);
    for (std::sregex_iterator found(text.begin(), text.end(), include), end; found != end; ++found)
      for (const fs::path& from :
           {fs::path(file).parent_path(), fs::path("src"), fs::path(), fs::path("tests")})
        if (fs::exists(root_ / from / (*found)[1].str())) add_header(from / (*found)[1].str(), source);
  }

  void add_header(const fs::path& path, Source& source) {
    const std::string header = path.lexically_normal().string();
    if (!source.includes.insert(header).second) return;
    const Names& more = at(header).includes;
    source.includes.insert(more.begin(), more.end());
  }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path root_ = SPILLWAY_SOURCE_DIR;
  std::map<std::string, Source> known_;
};

// Returns the files that are compiled together: those under the nearest folder that has a CMakeLists.txt,
// without programs of their own.
std::map<fs::path, Names> files_of_rooms(Sources& sources) {
  std::map<fs::path, Names> rooms;
  for (const char* top : {"src", "sim", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      if (entry.path().extension() != ".cpp") continue;
      fs::path room = entry.path().parent_path();
      while (!fs::exists(room / "CMakeLists.txt")) room = room.parent_path();
      const std::string file = fs::relative(entry.path(), SPILLWAY_SOURCE_DIR).string();
      const auto is_main = [](const Function& function) { return function.name == "main"; };
      if (std::ranges::none_of(sources.at(file).functions, is_main)) rooms[room].insert(file);
    }
  return rooms;
}

// Returns every function that a file of the room may meet, by name.
std::multimap<std::string, Function> met_in(const Names& files, Sources& sources) {
  Names all = files;
  for (const std::string& file : files) all.merge(Names(sources.at(file).includes));
  std::multimap<std::string, Function> met;
  for (const std::string& file : all)
    for (const Function& function : sources.at(file).functions)
      if (is_local(function) || file.ends_with(".h")) met.emplace(function.name, function);
  return met;
}

// Returns whether another file brings `other` into the overloads of a file's own function.
bool is_stranger(const Function& other, const Function& own, const Source& source) {
  const std::string around = is_local(other) ? other.around : other.around + std::string(kUnnamed);
  return other.file != own.file && !source.includes.contains(other.file) && around == own.around &&
         overload(own, other);
}

TEST(LocalFunctions, MeetNoStrangersInABatch) {
  Sources sources;
  std::size_t functions = 0;
  for (const auto& [room, files] : files_of_rooms(sources)) {
    const auto met = met_in(files, sources);
    for (const std::string& file : files)
      for (const Function& own : sources.at(file).functions) {
        if (!is_local(own)) continue;
        ++functions;
        for (auto [other, end] = met.equal_range(own.name); other != end; ++other)
          EXPECT_FALSE(is_stranger(other->second, own, sources.at(file)))
              << own.name << " of " << file << " and of " << other->second.file;
      }
  }
  EXPECT_GT(functions, 3000u);  // they were found and read
}

bool overloads(const std::string& one, const std::string& other) {
  const auto function = [](const std::string& text) {
    return functions_of(
               "\nnamespace own {\nnamespace {\n" + text + "\n}  // namespace\n}  // namespace own\n", "")
        .at(0);
  };
  return overload(function(one), function(other)) && is_local(function(other));
}

TEST(LocalFunctions, ThatOverloadAreSeen) {
  const std::string two =
      "Table plain(const std::string& name,\n            std::vector<double> rows) {\n}\n";
  EXPECT_TRUE(overloads(two, "double plain(std::string_view name, double of) {\n"));
  EXPECT_TRUE(overloads(two, "double plain(int a, int b = f(1, 2), int c = 0) {\n"));
  EXPECT_TRUE(overloads(two, "[[noreturn]] void plain(int a, std::map<int, int> b) {\n"));
  EXPECT_TRUE(overloads(two, "template <typename... Ts>\nvoid plain(Ts... all) {\n"));
  EXPECT_FALSE(overloads(two, "double plain(const std::map<int, double>& one) {\n"));
  EXPECT_FALSE(overloads(two, "double plain() {\n"));
  EXPECT_FALSE(overloads(two, "double plainer(int a, int b) {\n  plain(a, b);\n"));
  EXPECT_FALSE(overloads(two, "}  // namespace\ndouble plain(int a, int b) {\nnamespace {\n"));
}

TEST(LocalFunctions, OfAnOpenedNamespaceAreAmongThoseAroundIt) {
  const std::string inner =
      "\nnamespace own {\nnamespace lines {\nnamespace {\nint plain(int a) {\n}\n}  // namespace\n}  // "
      "namespace lines\n";
  EXPECT_EQ(functions_of(inner + "using namespace lines;\n", "").at(0).around,
            "namespace own { namespace { ");
  EXPECT_EQ(functions_of(inner, "").at(0).around, "namespace own { namespace lines { namespace { ");
}

}  // namespace
}  // namespace spillway::testing
