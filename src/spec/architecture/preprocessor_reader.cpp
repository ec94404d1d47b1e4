#include "spec/architecture/preprocessor_reader.h"

#include "spec/json/document.h"
#include "spec/json/named_file.h"
#include "spec/json/text_file.h"

namespace spillway {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 32;

class Preprocessor {
 public:
  Preprocessor(const Node& document, Findings& findings) : document_(document), findings_(findings) {}

  void expect(std::string_view key, std::uint32_t tower) const {
    const std::optional<Place> place = at(document_, "", key);
    const auto value = place ? read_count(*place, 0) : std::nullopt;
    if (value && *value != tower)
      place->refuse(std::to_string(tower) + ", as the tower's config.json has it");
  }

  // Nothing where neither name is there.
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
  ResizeRule rule;
  rule.patch = tower.patch_size;
  rule.merge = tower.spatial_merge_size;
  return rule;
}

}  // namespace

ResizeRule read_resize_rule(const std::string& config_path, const VisionTower& tower, const Files& files) {
  ResizeRule rule = rule_of(tower);
  const std::string path = beside(config_path, "preprocessor_config.json");
  Findings findings(path);
  const std::optional<std::string> text = read_file_if_any(path, findings, files);
  findings.throw_if_any();
  if (!text) return rule;
  const std::optional<Node> document = parse_json(*text, findings);
  findings.throw_if_any();
  if (!std::holds_alternative<Object>(document->value)) findings.add("", "an object", describe(*document));
  const Preprocessor file(*document, findings);
  file.expect("patch_size", tower.patch_size);
  file.expect("temporal_patch_size", tower.temporal_patch_size);
  file.expect("merge_size", tower.spatial_merge_size);
  rule.min_pixels = file.area("min_pixels", "shortest_edge").value_or(rule.min_pixels);
  rule.max_pixels = file.area("max_pixels", "longest_edge").value_or(rule.max_pixels);
  if (rule.min_pixels > rule.max_pixels)
    findings.add("", "a least area of at most the largest, " + std::to_string(rule.max_pixels),
                 std::to_string(rule.min_pixels));
  findings.throw_if_any();
  return rule;
}

}  // namespace spillway
