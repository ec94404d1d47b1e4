#include "compare/written_out.h"

#include <string_view>
#include <utility>

#include "base/findings.h"
#include "input/experiment/whole_paths.h"
#include "json/document.h"
#include "json/named_file.h"
#include "json/settings.h"

namespace spillway {
namespace {

void write_out(Object& experiment, std::string_view key, const std::string& file) {
  Node* named = find(experiment, key);
  const auto* text = named ? std::get_if<std::string>(&named->value) : nullptr;
  if (!text) return;
  const std::string path = beside(file, *text, key), changes_key = std::string(key) + "_set";
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
