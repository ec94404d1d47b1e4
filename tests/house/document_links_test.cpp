// The links of the documents lead somewhere: every relative link of README.md, docs/, CONTRIBUTING.md and the
// rooms' READMEs names a file of the repository, and its anchor a heading there. Every page of docs/ is in
// mkdocs.yml.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "house/documents.h"

namespace {

namespace fs = std::filesystem;
using spillway::testing::Document;
using spillway::testing::document;
using Names = std::vector<std::string>;

const fs::path kTop = SPILLWAY_SOURCE_DIR;

// Returns the lines outside ``` fences.
std::string prose(const std::string& markdown) {
  std::string text;
  std::istringstream lines(markdown);
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.starts_with("```");
    if (!fenced && !fence) text += line + '\n';
    fenced = fenced != fence;
  }
  return text;
}

// Returns the texts between ]( and ), in prose, without links into the network and formulas such as f[t](a,
// b).
Names links_of(const std::string& markdown) {
  const std::string text = prose(markdown);
  Names links;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
    if (link.find("://") == std::string::npos && link.find(' ') == std::string::npos) links.push_back(link);
  }
  return links;
}

// Returns the anchor that GitHub and mkdocs use: lower case, blanks as hyphens, no punctuation.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

Names anchors_of(const std::string& markdown) {
  Names anchors;
  std::istringstream lines(prose(markdown));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('#')) anchors.push_back(anchor_of(line.substr(line.find(' ') + 1)));
  return anchors;
}

bool leads_somewhere(const std::string& link, const Document& from) {
  const std::size_t hash = link.find('#');
  const fs::path file = fs::path(from.name).parent_path() / link.substr(0, hash);
  if (hash != 0 && !fs::exists(kTop / file)) return false;
  if (hash == std::string::npos) return true;
  const Names anchors = anchors_of(hash == 0 ? from.text : document(file.lexically_normal().string()).text);
  return std::ranges::find(anchors, link.substr(hash + 1)) != anchors.end();
}

Names broken_links(const Document& from) {
  Names broken;
  for (const std::string& link : links_of(from.text))
    if (!leads_somewhere(link, from)) broken.push_back(link);
  return broken;
}

std::vector<Document> whatever_links() {
  std::vector<Document> all = spillway::testing::documents();
  all.push_back(document("CONTRIBUTING.md"));
  for (const char* top : {"src", "sim", "workloads", "platforms"})
    for (const auto& entry : fs::recursive_directory_iterator(kTop / top))
      if (entry.path().filename() == "README.md")
        all.push_back(document(fs::relative(entry.path(), kTop).string()));
  return all;
}

TEST(DocumentLinks, LeadToWhatIsThere) {
  std::size_t links = 0;
  for (const Document& each : whatever_links()) {
    EXPECT_EQ(broken_links(each), Names{}) << each.name;
    links += links_of(each.text).size();
  }
  EXPECT_GT(links, 20u);
}

TEST(DocumentLinks, EveryPageIsInTheSite) {
  const std::string site = document("mkdocs.yml").text;
  for (const Document& each : spillway::testing::documents()) {
    if (!each.name.starts_with("docs/")) continue;
    EXPECT_NE(site.find(": " + each.name.substr(5) + "\n"), std::string::npos) << each.name;
  }
}

TEST(DocumentLinks, ABrokenOneIsSeen) {
  const std::string text =
      "# The top\n[a](plan.md) [b](gone.md)\n![c](plan.md#gone) [d](#the-top) "
      "[e](https://x.y/z)\n```\n[f](g)\n```\n";
  EXPECT_EQ(broken_links({"docs/a.md", text}), (Names{"gone.md", "plan.md#gone"}));
}

}  // namespace
