#include "input/architecture/support.h"

#include <array>

#include "input/architecture/config_part.h"

namespace spillway {
namespace {

// Parts of models that no family here reads.
constexpr std::array<std::string_view, 6> kOtherParts = {"audio_config",  "speech_config", "thinker_config",
                                                         "talker_config", "dit_config",    "language_config"};

const Node* object_at(const Node& document, std::string_view key) {
  const Node* node = find(std::get<Object>(document.value), key);
  return node && std::holds_alternative<Object>(node->value) ? node : nullptr;
}

std::string type_in(const Node* node) {
  const auto* object = node ? std::get_if<Object>(&node->value) : nullptr;
  const Node* type = object ? find(*object, "model_type") : nullptr;
  const auto* text = type ? std::get_if<std::string>(&type->value) : nullptr;
  return text ? *text : "";
}

SupportedPart part_at(const Node& document, std::string name, const std::string& key) {
  SupportedPart part;
  part.name = std::move(name);
  part.section = key.empty() ? "" : child("", key);
  part.model_type = key.empty() ? "" : type_in(object_at(document, key));
  if (part.model_type.empty()) part.model_type = type_in(&document);
  return part;
}

SupportedPart read(SupportedPart part, const Node& document, Role role, const std::string& path) {
  Findings findings(path);
  try {
    ReadPart known = read_part(document, role, {}, findings);
    part.architecture = std::move(known.architecture);
    part.assumes = std::move(known.assumes);
    part.read = std::move(known.read);
    part.idle = std::move(known.idle);
  } catch (const InputError& error) {
    part.refused = error.violations();
  }
  return part;
}

std::string text_key(const Node& document) {
  for (const char* key : {"text_config", "llm_config"})
    if (object_at(document, key)) return key;
  return "";
}

SupportedPart unread(const Node& document, std::string_view key, const std::string& path) {
  SupportedPart part = part_at(document, std::string(key), std::string(key));
  part.refused.push_back(
      {path, part.section, "a vision tower or a language model: other parts are not supported", "an object"});
  return part;
}

}  // namespace

std::vector<SupportedPart> read_support(const std::string& path, const Files& files) {
  Findings findings(path);
  const Node document = read_config(path, findings, files);
  std::vector<SupportedPart> parts;
  if (find(std::get<Object>(document.value), "_class_name")) {
    parts.push_back(read(part_at(document, "generator", ""), document, Role::Generator, path));
    return parts;
  }
  if (object_at(document, "vision_config"))
    parts.push_back(read(part_at(document, "vision tower", "vision_config"), document, Role::Encoder, path));
  parts.push_back(
      read(part_at(document, "language model", text_key(document)), document, Role::Backbone, path));
  for (const std::string_view key : kOtherParts)
    if (object_at(document, key)) parts.push_back(unread(document, key, path));
  return parts;
}

}  // namespace spillway
