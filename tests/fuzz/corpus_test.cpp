// Runs every reader on the whole corpus: its own files, those that every reader is given, and the shipped
// ones that seeds.txt names. Bytes that are neither read nor refused fail, and so do sanitizer reports.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "target.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = SPILLWAY_SOURCE_DIR;
constexpr std::uintmax_t kLargest = 1 << 20;  // largest shipped file; larger ones have their own tests

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() <= kLargest) files.push_back(entry.path());
  return files;
}

std::vector<fs::path> folders_of(const Target& target) {
  const fs::path corpus = kSource / "tests/fuzz/corpus";
  std::vector<fs::path> folders = {corpus / "any", corpus / target.name()};
  std::ifstream seeds(kSource / "tests/fuzz/seeds.txt");
  for (std::string name, folder; seeds >> name >> folder;)
    if (name == target.name()) folders.push_back(kSource / folder);
  return folders;
}

class Corpus : public ::testing::TestWithParam<const Target*> {};

TEST_P(Corpus, IsReadOrRefused) {
  std::size_t taken = 0;
  for (const fs::path& folder : folders_of(*GetParam())) {
    for (const fs::path& file : files_below(folder)) {
      SCOPED_TRACE(file);
      std::ifstream in(file, std::ios::binary);
      EXPECT_NO_THROW(GetParam()->take(std::string{std::istreambuf_iterator<char>(in), {}}));
      ++taken;
    }
  }
  EXPECT_GE(taken, 6u);
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus, ::testing::ValuesIn(Target::all()),
                         [](const auto& target) { return std::string(target.param->name()); });

}  // namespace

void PrintTo(const Target* target, std::ostream* out) {
  *out << target->name();
}

}  // namespace spillway::testing
