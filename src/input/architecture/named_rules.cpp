#include "input/architecture/named_rules.h"

#include <array>

#include "input/architecture/architecture_reader.h"
#include "input/architecture/preprocessor_reader.h"

namespace spillway {
namespace {

struct NamedRule {
  std::string_view name;
  ResizeRule rule;
};

// The preprocessor_config.json of Qwen/Qwen2-VL-7B-Instruct (whose class defaults the first is),
// Qwen/Qwen2.5-VL-7B-Instruct, Qwen/Qwen3-VL-30B-A3B-Instruct, google/gemma-3-4b-it,
// moonshotai/Kimi-VL-A3B-Instruct; OpenGVLab/InternVL3-8B, config.json.
const std::array<NamedRule, 7>& rules() {
  static const std::array<NamedRule, 7> all = {{
      {"qwen2-vl", {}},
      {"qwen2.5-vl", {.max_pixels = 12'845'056}},
      {"qwen3-vl", {.patch = 16, .min_pixels = 65'536, .max_pixels = 16'777'216}},
      {"qwen3.5", {.patch = 16, .min_pixels = 65'536, .max_pixels = 16'777'216}},
      {"gemma3", {.merge = 4, .by = Resizing::Square, .side = 896}},
      {"internvl", {.by = Resizing::Tiles, .side = 448}},
      {"kimi-vl", {.by = Resizing::Capped}},
  }};
  return all;
}

}  // namespace

std::optional<ResizeRule> named_resize_rule(std::string_view name) {
  for (const NamedRule& known : rules())
    if (known.name == name) return known.rule;
  return std::nullopt;
}

std::string resize_rule_names() {
  std::string names;
  for (const NamedRule& known : rules()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

ResizeRule resize_rule_of(const std::string& config_path) {
  if (config_path.ends_with(kPreprocessor)) return read_resize_rule(config_path);
  const Architecture tower = read_architecture(config_path, Role::Encoder, {});
  return read_resize_rule(config_path, std::get<VisionTower>(tower));
}

}  // namespace spillway
