#include "api/images.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "input/architecture/resize_rules.h"
#include "report/inputs/images.h"

namespace spillway {
namespace {

struct ImagesOptions {
  ImagesArguments arguments;
  bool json = false;
};

int print_images(const ImagesOptions& options) {
  const PatchDistribution distribution = images(options.arguments);
  std::cout << (options.json ? images_json(distribution) : images_text(distribution));
  return 0;
}

}  // namespace

void add_images(CLI::App& app, int& status) {
  auto options = std::make_shared<ImagesOptions>();
  ImagesArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand(
      "images",
      "summarize an image-size trace: patches per image, and the share of images at the size limit");
  command
      ->add_option(
          "TRACE", arguments.trace,
          "image sizes as CSV, TSV, JSON lines or JSON (COCO and others); a folder of images, or a tar or "
          "zip archive; a CSV file of token counts with the header value,prob; or the name of a "
          "shipped list")
      ->required();
  command->add_option("--rule", arguments.rule,
                      "rule by which the encoder resizes images: " + resize_rule_names() +
                          "; or a model's config.json, or a shipped model (default: qwen2-vl)");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer("Example: spillway images workloads/traces/coco_val2017.csv");
  command->callback([options, &status] { status = print_images(*options); });
}

}  // namespace spillway
