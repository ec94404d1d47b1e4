// The pictures of docs/ show the program's traces of today.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "house/documents.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

// Returns every .svg of a folder, by name.
std::map<std::string, std::string> pictures_in(const fs::path& folder) {
  std::map<std::string, std::string> pictures;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".svg") continue;
    std::ifstream file(entry.path());
    pictures[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return pictures;
}

class DocumentPictures : public ::testing::Test {
 protected:
  const spillway::testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(DocumentPictures, AreTodays) {
  const fs::path docs = fs::path(SPILLWAY_SOURCE_DIR) / "docs";
  const std::string command =
      "'" + (docs / "draw.sh").string() + "' '" SPILLWAY_PROGRAM "' '" + folder_.string() + "' 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::map<std::string, std::string> drawn = pictures_in(folder_),
                                           kept = pictures_in(docs / "pictures");
  EXPECT_GE(drawn.size(), 20u);
  for (const auto& [name, picture] : drawn)
    EXPECT_TRUE(kept.contains(name) && kept.at(name) == picture) << name << ": run docs/draw.sh";
  for (const auto& [name, picture] : kept) EXPECT_TRUE(drawn.contains(name)) << name << " is drawn no more";
}

// A page shows each picture: a picture that nobody sees need not be drawn.
TEST(DocumentPicturesOnPages, AreShown) {
  std::string text;
  for (const auto& each : spillway::testing::documents()) text += each.text;
  for (const auto& [name, picture] : pictures_in(fs::path(SPILLWAY_SOURCE_DIR) / "docs/pictures"))
    EXPECT_NE(text.find("pictures/" + name + ")"), std::string::npos) << name;
}

}  // namespace
