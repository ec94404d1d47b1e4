// The pages of docs/ can be put together for the site: docs/site.py, which `make docs` runs before mkdocs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "house/documents.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

std::string of_file(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DocumentSite, IsPutTogether) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3";
  const spillway::testing::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "pages";
  const std::string command =
      "python3 '" SPILLWAY_SOURCE_DIR "/docs/site.py' '" SPILLWAY_PROGRAM "' '" + folder.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const auto& page : spillway::testing::documents()) {
    if (page.name == "README.md") continue;
    EXPECT_TRUE(fs::exists(folder / fs::path(page.name).filename())) << page.name;
  }
  EXPECT_NE(of_file(folder / "formats.md").find("## experiment"), std::string::npos);
  // The site has a switch of its own between light and dark.
  const std::string colours = of_file(folder / "colours.css");
  EXPECT_NE(colours.find("[data-md-color-scheme=\"slate\"] {"), std::string::npos);
  EXPECT_EQ(colours.find("@media"), std::string::npos);
}

}  // namespace
