// The documents that people read, in one list: README.md and the pages of docs/, as the house tests read
// them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace spillway::testing {

struct Document {
  std::string name;  // relative to the repository: docs/plan.md
  std::string text;
};

inline void PrintTo(const Document& document, std::ostream* out) {
  *out << document.name;
}

inline Document document(const std::string& name) {
  std::ifstream file(std::filesystem::path(SPILLWAY_SOURCE_DIR) / name);
  EXPECT_TRUE(file.good()) << name << " is not there";
  return {name, {std::istreambuf_iterator<char>(file), {}}};
}

// Returns README.md first, then the pages by name.
inline std::vector<Document> documents() {
  std::vector<std::string> pages;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SPILLWAY_SOURCE_DIR) / "docs"))
    if (entry.path().extension() == ".md") pages.push_back("docs/" + entry.path().filename().string());
  std::ranges::sort(pages);
  std::vector<Document> all = {document("README.md")};
  for (const std::string& page : pages) all.push_back(document(page));
  return all;
}

// Checks that a page has these words, with line breaks anywhere.
inline void expect_said(const std::string& page, const std::string& words) {
  std::string text = document(page).text;
  std::ranges::replace(text, '\n', ' ');
  EXPECT_NE(text.find(words), std::string::npos) << page << " is to say: " << words;
}

// Returns the number as documents print it.
inline std::string rounded(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

}  // namespace spillway::testing
