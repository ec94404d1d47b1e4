// Public launch scripts and configurations as tests hold them: with their arguments and values, in a form of
// our own (tests/launch/scripts; each names its source).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "launch/import.h"
#include "support/temporary_folder.h"

namespace spillway {

// A file of this process, for tests that run side by side.
inline std::filesystem::path own_file(const std::string& name) {
  return testing::folder_of_process().path() / name;
}

inline const std::string kPublicScripts = SPILLWAY_SOURCE_DIR "/tests/launch/scripts/";

inline Node parsed_document(const std::string& text) {
  Findings findings("x");
  auto node = parse_json(text, findings);
  EXPECT_TRUE(node.has_value());
  return node.value_or(Node{});
}

// The value at the keys as compact JSON without quotes; "0" is the first element, "1" the second.
inline std::string text_at(const Node& document, std::initializer_list<std::string_view> keys) {
  const Node* node = &document;
  for (const std::string_view key : keys)
    node = key == "0" || key == "1" ? element(node, key == "0" ? 0 : 1) : member(node, key);
  std::string text = node ? compact_json(*node) : "";
  std::erase(text, '"');
  std::erase(text, ' ');
  return text;
}

// A block's keys but for name, role and architecture; "-" if there is no such block.
inline std::string keys_of_block(const Node& document, std::string_view role) {
  const Node* blocks = member(member(&document, "model"), "blocks");
  for (std::size_t i = 0; element(blocks, i); ++i) {
    const Node* block = element(blocks, i);
    if (std::get<std::string>(member(block, "role")->value) != role) continue;
    Object keys;
    for (const Member& each : std::get<Object>(block->value))
      if (each.key != "name" && each.key != "role" && each.key != "architecture") keys.push_back(each);
    return compact_json({keys});
  }
  return "-";
}

// Names of what is not understood, in order. The document lists each of them, too.
inline std::string names_not_understood(const LaunchImport& launch) {
  std::vector<std::string> names;
  for (const ShownArgument& argument : launch.not_understood) {
    names.push_back(argument.text.substr(0, argument.text.find(' ')));
    EXPECT_GT(argument.line, 0u);
    EXPECT_NE(launch.document.find(names.back()), std::string::npos);
  }
  return joined(names, " ");
}

// The refusal of an import, or "none".
inline std::string refusal_of_import(const std::string& path, const LaunchOptions& options) {
  try {
    import_launch(path, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace spillway
