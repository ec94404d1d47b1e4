#include "report/inputs/images.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/files.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "spec/architecture/named_rules.h"
#include "spec/experiment/trace.h"

namespace spillway {
namespace {

struct ImagesArguments {
  std::string trace;
  std::string rule = "qwen2-vl";
  bool json = false;
};

// A name, or a model's config.json.
ResizeRule rule_from(const std::string& rule) {
  if (const std::optional<ResizeRule> named = named_resize_rule(rule)) return *named;
  if (is_plain_file(rule)) return resize_rule_of(rule);
  refuse_argument("--rule", resize_rule_names() + ", or a model's config.json", '"' + rule + '"');
}

int print_images(const ImagesArguments& arguments) {
  const PatchDistribution distribution = read_image_trace(arguments.trace, rule_from(arguments.rule));
  std::cout << (arguments.json ? images_json(distribution) : images_text(distribution));
  return 0;
}

}  // namespace

void add_images(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImagesArguments>();
  CLI::App* command = app.add_subcommand("images", "what an image-size trace means for the encoder");
  command
      ->add_option("TRACE", arguments->trace,
                   "sizes of images: CSV, TSV, JSON lines, COCO; a folder of images or a tar archive; "
                   "value,prob of tokens")
      ->required();
  command->add_option(
      "--rule", arguments->rule,
      "how the encoder resizes: " + resize_rule_names() + "; or a model's config.json (default: qwen2-vl)");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer("Example: spillway images workloads/traces/coco_val2017.csv");
  command->callback([arguments, &status] { status = print_images(*arguments); });
}

}  // namespace spillway
