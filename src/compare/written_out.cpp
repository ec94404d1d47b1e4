#include "compare/written_out.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/findings.h"
#include "spec/json/document.h"
#include "spec/json/named_file.h"
#include "spec/json/settings.h"

namespace spillway {
namespace {

// Keys whose texts name files: of experiments, platforms and frameworks.
constexpr std::array<std::string_view, 8> kPaths = {"architecture", "trace",         "images_per_sample",
                                                    "text_tokens",  "measured_work", "rule",
                                                    "order_file",   "file"};

// A word, such as the name of a rule, is no path: there is no such file.
void make_whole(std::string& text, const std::string& document) {
  const std::string path = absolute_path(beside(document, text)).lexically_normal().string();
  if (is_plain_file(path)) text = path;
}

void make_paths_whole(Node& node, const std::string& document) {
  if (auto* list = std::get_if<List>(&node.value))
    for (Node& element : *list) make_paths_whole(element, document);
  auto* object = std::get_if<Object>(&node.value);
  if (!object) return;
  for (Member& member : *object) {
    auto* text = std::get_if<std::string>(&member.value.value);
    if (text && std::ranges::find(kPaths, member.key) != kPaths.end())
      make_whole(*text, document);
    else
      make_paths_whole(member.value, document);
  }
}

void write_out(Object& experiment, std::string_view key, const std::string& file) {
  Node* named = find(experiment, key);
  const auto* text = named ? std::get_if<std::string>(&named->value) : nullptr;
  if (!text) return;
  const std::string path = beside(file, *text), changes_key = std::string(key) + "_set";
  Findings findings(path);
  std::optional<Node> document = read_json(path, findings);
  findings.throw_if_any();
  make_paths_whole(*document, path);
  if (const Node* changes = find(experiment, changes_key))
    apply(std::get<Object>(changes->value), *document, findings);
  findings.throw_if_any();
  *named = *std::move(document);
  std::erase_if(experiment, [&](const Member& member) { return member.key == changes_key; });
}

}  // namespace

Node written_out(Node document, const std::string& file) {
  auto& experiment = std::get<Object>(document.value);
  for (const std::string_view key : {"platform", "framework"}) write_out(experiment, key, file);
  make_paths_whole(document, file);
  return document;
}

}  // namespace spillway
