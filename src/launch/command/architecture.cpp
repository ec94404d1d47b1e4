// Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/command/architecture.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "input/architecture/architecture_reader.h"
#include "json/document.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

bool is_shipped(const std::string& name) {
  return !name.empty() && shipped_or(name, "architecture") != name;
}

// Names of one network: later weights, other prefixes.
std::string with_known_prefix(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSame{
      {{"meta-llama-3.1-", "llama-3-"},
       {"meta-llama-3-", "llama-3-"},
       {"llama-3.1-", "llama-3-"},
       {"llama-3.3-", "llama-3-"},
       {"internvl2_5-", "internvl2.5-"}}};
  for (const auto& [theirs, ours] : kSame)
    if (text.starts_with(theirs)) return std::string(ours) + text.substr(theirs.size());
  return text;
}

}  // namespace

std::optional<std::string> shipped_model(const std::string& name) {
  std::string text = with_known_prefix(lower(name.substr(name.rfind('/') + 1)));
  while (true) {
    // A published config.json comes before one that only has its sizes.
    if (is_shipped(text + "-published")) return text + "-published";
    if (is_shipped(text)) return text;
    constexpr std::array<std::string_view, 12> kVersions{"-instruct", "-base",     "-chat",     "-hf",
                                                         "-it",       "-thinking", "-2507",     "-v0.1",
                                                         "-0324",     "-v1.5",     "-pretrain", "-v0.3"};
    const auto version =
        std::ranges::find_if(kVersions, [&](std::string_view each) { return text.ends_with(each); });
    if (version == kVersions.end()) return std::nullopt;
    text.resize(text.size() - version->size());
  }
}

std::optional<Architecture> read_backbone(std::string& name, const std::string& place, Findings& findings) {
  name = shipped_model(name).value_or(name);
  const std::string path = shipped_or(name, "architecture");
  if (!is_there(path)) {
    findings.add(place, "a shipped model, or --architecture with its config.json", '"' + name + '"');
    return std::nullopt;
  }
  if (path == name) name = absolute_path(path).string();
  return read_architecture(path, Role::Backbone, {});
}

bool has_vision_tower(const std::string& name) {
  const std::string path = shipped_or(name, "architecture");
  if (!is_there(path)) return false;
  return std::ranges::any_of(read_support(path),
                             [](const SupportedPart& part) { return part.name == "vision tower"; });
}

std::optional<Node> config_of(const std::string& name) {
  Findings ignored;
  return read_json({shipped_or(name, "architecture")}, ignored);
}

std::optional<std::uint32_t> whole_of(const Node& config, std::string_view key) {
  const Node* size = member(&config, key);
  if (!size) size = member(member(&config, "text_config"), key);
  if (!size) size = member(member(&config, "llm_config"), key);
  if (!size) return std::nullopt;
  std::uint64_t number = 0;
  if (const auto* whole = std::get_if<std::uint64_t>(&size->value)) number = *whole;
  if (const auto* whole = std::get_if<std::int64_t>(&size->value); whole && *whole > 0)
    number = static_cast<std::uint64_t>(*whole);
  if (number == 0 || number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

Architecture architecture_of(const Node& config) {
  FileMemory memory;
  memory.put("config.json", json_text(config));
  return read_architecture("config.json", Role::Backbone, {}, Files(memory));
}

}  // namespace spillway
