#include "api/images.h"

#include "api/experiment_input.h"
#include "base/files.h"
#include "input/architecture/resize_rules.h"
#include "input/experiment/trace.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

// Reads a rule's name, or a model's config.json.
ResizeRule rule_from(const std::string& rule) {
  if (const std::optional<ResizeRule> named = named_resize_rule(rule)) return *named;
  if (is_plain_file(rule)) return resize_rule_of(rule);
  refuse_argument("--rule", resize_rule_names() + ", or a model's config.json", '"' + rule + '"');
}

}  // namespace

PatchDistribution images(const ImagesArguments& arguments) {
  return read_image_trace(shipped_or(arguments.trace, "trace"), rule_from(arguments.rule));
}

}  // namespace spillway
