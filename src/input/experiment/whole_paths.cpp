#include "input/experiment/whole_paths.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"
#include "json/named_file.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 12> kPaths = {
    "platform",      "framework", "architecture", "trace", "images_per_sample", "text_tokens",
    "measured_work", "rule",      "order_file",   "file",  "measured",          "passes"};

void make_whole(std::string& text, const std::string& document, std::string_view key) {
  const std::string path = absolute_path(beside(document, text, key)).lexically_normal().string();
  if (is_there(path)) text = path;  // images may be a folder
}

}  // namespace

void make_paths_whole(Node& node, const std::string& document) {
  if (auto* list = std::get_if<List>(&node.value))
    for (Node& element : *list) make_paths_whole(element, document);
  auto* object = std::get_if<Object>(&node.value);
  if (!object) return;
  for (Member& member : *object) {
    auto* text = std::get_if<std::string>(&member.value.value);
    if (text && std::ranges::find(kPaths, member.key) != kPaths.end())
      make_whole(*text, document, member.key);
    else
      make_paths_whole(member.value, document);
  }
}

}  // namespace spillway
