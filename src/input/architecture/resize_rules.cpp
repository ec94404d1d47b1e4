#include "input/architecture/resize_rules.h"

#include <array>

#include "input/architecture/architecture_reader.h"
#include "json/document.h"
#include "json/json_text.h"
#include "json/named_file.h"
#include "json/text_file.h"

namespace spillway {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 32;
constexpr std::uint32_t kMostPatchesOfAnImage = 1U << 20;

class Preprocessor {
 public:
  Preprocessor(const Node& document, Findings& findings) : document_(document), findings_(findings) {}

  void expect(std::string_view key, std::uint32_t tower) const {
    const std::optional<Place> place = at(document_, "", key);
    const auto value = place ? read_count(*place, 0) : std::nullopt;
    if (value && *value != tower)
      place->refuse(std::to_string(tower) + ", as the tower's config.json states");
  }

  std::uint32_t count(std::string_view key, std::uint32_t otherwise) const {
    const std::optional<Place> place = at(document_, "", key);
    return place ? read_count(*place, 1, kMostPatchesOfAnImage).value_or(otherwise) : otherwise;
  }

  double rate(std::string_view key, double otherwise) const {
    const std::optional<Place> place = at(document_, "", key);
    return place ? read_number(*place, kFrameRate).value_or(otherwise) : otherwise;
  }

  // Returns nothing if neither name is present.
  std::optional<std::uint64_t> area(std::string_view key, std::string_view edge) const {
    std::optional<Place> place = at(document_, "", key);
    const std::optional<Place> size = at(document_, "", "size");
    if (!place && size) place = at(*size->node, "/size", edge);
    return place ? read_whole(*place, 1, kMostPixels) : std::nullopt;
  }

 private:
  std::optional<Place> at(const Node& node, const std::string& pointer, std::string_view key) const {
    const auto* object = std::get_if<Object>(&node.value);
    const Node* value = object ? find(*object, key) : nullptr;
    if (!value || std::holds_alternative<std::nullptr_t>(value->value)) return std::nullopt;
    return Place{value, child(pointer, key), &findings_, nullptr};
  }

  const Node& document_;
  Findings& findings_;
};

ResizeRule rule_of(const VisionTower& tower) {
  ResizeRule rule = tower.rule;
  rule.patch = tower.patch_size;
  rule.merge = tower.spatial_merge_size;
  if (takes_videos(rule)) rule.video.temporal_patch = tower.temporal_patch_size;
  return rule;
}

// Returns the tower of a processor without a config.json, by the sizes that the processor states itself, as
// Qwen's processors do.
VisionTower tower_of(const Node& document, Findings& findings) {
  constexpr std::array<std::string_view, 6> processors = {
      "Qwen2VLImageProcessor", "Qwen2VLImageProcessorFast", "Qwen2_5_VLImageProcessor",
      "Qwen3VLImageProcessor", "Qwen3VLImageProcessorFast", "KimiVLImageProcessor"};
  const auto* object = std::get_if<Object>(&document.value);
  const Node* type = object ? find(*object, "image_processor_type") : nullptr;
  if (type)
    read_word({type, "/image_processor_type", &findings, nullptr}, {processors.begin(), processors.end()});
  const Preprocessor file(document, findings);
  VisionTower tower;
  tower.patch_size = file.count("patch_size", 14);
  tower.temporal_patch_size = file.count("temporal_patch_size", 2);
  tower.spatial_merge_size = file.count("merge_size", 2);
  const auto* name = type ? std::get_if<std::string>(&type->value) : nullptr;
  if (name && *name == processors.back()) tower.rule.by = Resizing::Capped;
  return tower;
}

ResizeRule read_rule(const Node& document, const VisionTower& tower, Findings& findings) {
  ResizeRule rule = rule_of(tower);
  const Preprocessor file(document, findings);
  file.expect("patch_size", tower.patch_size);
  if (rule.by == Resizing::Capped) rule.max_patches = file.count("in_token_limit", rule.max_patches);
  if (rule.by != Resizing::Area) return rule;
  file.expect("temporal_patch_size", tower.temporal_patch_size);
  file.expect("merge_size", tower.spatial_merge_size);
  rule.min_pixels = file.area("min_pixels", "shortest_edge").value_or(rule.min_pixels);
  rule.max_pixels = file.area("max_pixels", "longest_edge").value_or(rule.max_pixels);
  if (rule.min_pixels > rule.max_pixels)
    findings.add("", "a smallest area that is at most the largest, " + std::to_string(rule.max_pixels),
                 std::to_string(rule.min_pixels));
  return rule;
}

Node read_object(const std::string& text, Findings& findings) {
  std::optional<Node> document = parse_json(strict_json(text), findings);
  findings.throw_if_any();
  if (!std::holds_alternative<Object>(document->value)) findings.add("", "an object", describe(*document));
  findings.throw_if_any();
  return *std::move(document);
}

// Bounds are those of a frame or of all frames, as the tower's own rule has them.
VideoRule read_video_rule(const Node& document, const VisionTower& tower, VideoRule rule,
                          Findings& findings) {
  const Preprocessor file(document, findings);
  file.expect("patch_size", tower.patch_size);
  file.expect("temporal_patch_size", tower.temporal_patch_size);
  file.expect("merge_size", tower.spatial_merge_size);
  rule.min_pixels = file.area("min_pixels", "shortest_edge").value_or(rule.min_pixels);
  rule.max_pixels = file.area("max_pixels", "longest_edge").value_or(rule.max_pixels);
  rule.min_frames = file.count("min_frames", rule.min_frames);
  rule.max_frames = file.count("max_frames", rule.max_frames);
  rule.fps = file.rate("fps", rule.fps);
  return rule;
}

struct FoundFile {
  std::string path, text;
};

std::optional<FoundFile> read_beside(const std::string& config_path, std::string_view name,
                                     const Files& files) {
  const std::string path = beside(config_path, std::string(name));
  Findings findings(path);
  std::optional<std::string> text = read_file_if_any(path, findings, files);
  findings.throw_if_any();
  return text ? std::optional(FoundFile{path, *std::move(text)}) : std::nullopt;
}

struct NamedRule {
  std::string_view name;
  ResizeRule rule;
};

// Sources: the preprocessor_config.json of Qwen/Qwen2-VL-7B-Instruct (whose class defaults are the first
// rule), Qwen/Qwen2.5-VL-7B-Instruct, Qwen/Qwen3-VL-30B-A3B-Instruct, google/gemma-3-4b-it,
// moonshotai/Kimi-VL-A3B-Instruct; and the config.json of OpenGVLab/InternVL3-8B.
const std::array<NamedRule, 7>& rules() {
  static const std::array<NamedRule, 7> all = {{
      {"qwen2-vl", {}},
      {"qwen2.5-vl", {.max_pixels = 12'845'056}},
      {"qwen3-vl",
       {.patch = 16, .min_pixels = 65'536, .max_pixels = 16'777'216, .video = qwen3_video_rule()}},
      {"qwen3.5", {.patch = 16, .min_pixels = 65'536, .max_pixels = 16'777'216, .video = qwen3_video_rule()}},
      {"gemma3", {.merge = 4, .by = Resizing::Square, .side = 896}},
      {"internvl", {.by = Resizing::Tiles, .side = 448}},
      {"kimi-vl", {.by = Resizing::Capped}},
  }};
  return all;
}

}  // namespace

ResizeRule read_resize_rule(const std::string& config_path, const VisionTower& tower, const Files& files) {
  ResizeRule rule = rule_of(tower);
  if (const auto found = read_beside(config_path, kPreprocessor, files)) {
    Findings findings(found->path);
    rule = read_rule(read_object(found->text, findings), tower, findings);
    findings.throw_if_any();
  }
  if (const auto found = read_beside(config_path, kVideoPreprocessor, files); found && takes_videos(rule)) {
    Findings findings(found->path);
    rule.video = read_video_rule(read_object(found->text, findings), tower, rule.video, findings);
    findings.throw_if_any();
  }
  return rule;
}

ResizeRule read_resize_rule(const std::string& preprocessor_path) {
  Findings findings(preprocessor_path);
  const std::optional<std::string> text = read_file(preprocessor_path, findings);
  findings.throw_if_any();
  const Node document = read_object(*text, findings);
  const ResizeRule rule = read_rule(document, tower_of(document, findings), findings);
  findings.throw_if_any();
  return rule;
}

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
