// Words that make readers stop, and the field's words for them. The test reads README.md, CONTRIBUTING.md and
// docs/, and the texts of src/ and sim/ for the words that a message may not have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "documents.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;

struct Word {
  std::string word, better;
};

// A page begins with its question, not with its audience.
const std::vector<Word> kOfPages = {{"woven", "interleaved"},
                                    {"dealt out", "distributed, assigned"},
                                    {"anew", "again"},
                                    {"for whoever", "the page's question"}};
const std::vector<Word> kEverywhere = {{"quicker", "faster"}, {"quickest", "fastest"}};

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Finds whole words in the text, and returns each with a better one.
std::vector<std::string> found(const std::string& text, const std::vector<Word>& words) {
  const std::string lower = in_lower_case(text);
  const auto is_letter = [&](std::size_t at) {
    return at < lower.size() && std::isalpha(static_cast<unsigned char>(lower[at])) != 0;
  };
  std::vector<std::string> all;
  for (const auto& [word, better] : words)
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1))
      if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size()))
        all.push_back(word + ", better: " + better);
  return all;
}

using Found = std::vector<std::string>;

// Returns the text between the title and the first blank line after it.
std::string first_paragraph(const std::string& page) {
  const std::size_t title = page.find("\n\n");
  return title == std::string::npos ? "" : page.substr(title + 2, page.find("\n\n", title + 2) - title - 2);
}

// A reader sees at once whether a page is theirs. The first page and README.md say what the program is.
TEST(DocumentWords, APageBeginsWithItsQuestion) {
  std::size_t asking = 0;
  for (const Document& page : documents()) {
    if (page.name == "README.md" || page.name == "docs/index.md") continue;
    EXPECT_NE(first_paragraph(page.text).find('?'), std::string::npos) << page.name;
    ++asking;
  }
  EXPECT_GT(asking, 25u);
}

// The table of commands has all of them.
TEST(DocumentWords, ThePageOfCommandsHasEveryCommand) {
  std::size_t commands = 0;
  const std::string page = document("docs/which.md").text, lists = document("src/cli/commands.h").text;
  for (std::size_t at = lists.find("add_"); at != std::string::npos; at = lists.find("add_", at + 1)) {
    const std::string name = lists.substr(at + 4, lists.find_first_of(",;} ", at) - at - 4);
    EXPECT_NE(page.find('`' + name), std::string::npos) << name;
    ++commands;
  }
  EXPECT_GT(commands, 12u);
}

TEST(DocumentWords, AreThoseOfTheField) {
  std::vector<Document> all = documents();
  all.push_back(document("CONTRIBUTING.md"));
  for (const Document& one : all) {
    EXPECT_EQ(found(one.text, kOfPages), Found{}) << one.name;
    EXPECT_EQ(found(one.text, kEverywhere), Found{}) << one.name;
  }
}

TEST(DocumentWords, OfMessagesAreToo) {
  for (const char* top : {"src", "sim"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp" && path.extension() != ".json") continue;
      std::ifstream file(path);
      EXPECT_EQ(found({std::istreambuf_iterator<char>(file), {}}, kEverywhere), Found{}) << path;
    }
}

TEST(DocumentWords, OnesToAvoidAreSeen) {
  EXPECT_EQ(found("For whoever asks", kOfPages), Found{"for whoever, better: the page's question"});
  EXPECT_EQ(found("Quicker than", kEverywhere), Found{"quicker, better: faster"});
  EXPECT_EQ(found("interwoven", kOfPages), Found{});
}

}  // namespace
}  // namespace spillway::testing
