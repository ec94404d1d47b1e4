// A name of the program means one type. Two types of one name in two files break the one-definition rule:
// nothing reports it, and the linked program destroys one as if it were the other.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace spillway {
namespace {

namespace fs = std::filesystem;

// Returns the types of the namespace, and the files that define each.
std::map<std::string, std::vector<std::string>> types_of_headers() {
  static const std::regex definition(R"(^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^:].*)? \{.*)");
  std::map<std::string, std::vector<std::string>> types;
  for (const char* top : {"src", "sim"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      std::smatch found;
      for (std::string line; std::getline(file, line);)
        if (std::regex_match(line, found, definition)) types[found[1]].push_back(entry.path().string());
    }
  }
  return types;
}

TEST(OneDefinition, EveryTypeOfAHeaderHasANameOfItsOwn) {
  const auto types = types_of_headers();
  EXPECT_GT(types.size(), 300u);
  for (const auto& [name, files] : types)
    EXPECT_EQ(files.size(), 1u) << name << ": " << files.back();
}

}  // namespace
}  // namespace spillway
