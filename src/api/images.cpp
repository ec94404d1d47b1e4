#include "api/images.h"

#include "api/experiment_input.h"
#include "base/files.h"
#include "input/architecture/resize_rules.h"
#include "input/experiment/trace.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

// Reads a rule's name, or the config.json of a model or of a shipped one.
ResizeRule rule_from(const std::string& rule) {
  if (const std::optional<ResizeRule> named = named_resize_rule(rule)) return *named;
  if (const std::string model = shipped_or(rule, "architecture"); is_plain_file(model))
    return resize_rule_of(model);
  refuse_argument("--rule", resize_rule_names() + ", or a model's config.json", '"' + rule + '"');
}

}  // namespace

PatchDistribution images(const ImagesArguments& arguments) {
  return read_image_trace(shipped_argument(arguments.trace, "trace"), rule_from(arguments.rule));
}

}  // namespace spillway
