#include "report/inputs/images.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "spec/experiment/trace.h"

namespace spillway {
namespace {

struct ImagesArguments {
  std::string trace;
  std::string rule = "qwen2-vl";
  bool json = false;
};

int print_images(const ImagesArguments& arguments) {
  if (arguments.rule != "qwen2-vl") refuse_argument("--rule", "qwen2-vl", '"' + arguments.rule + '"');
  const PatchDistribution distribution = read_image_trace(arguments.trace, ResizeRule{});
  std::cout << (arguments.json ? images_json(distribution) : images_text(distribution));
  return 0;
}

}  // namespace

void add_images(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImagesArguments>();
  CLI::App* command = app.add_subcommand("images", "what an image-size trace means for the encoder");
  command->add_option("TRACE", arguments->trace, "CSV: width,height,count or value,prob")->required();
  command->add_option("--rule", arguments->rule, "resize rule (qwen2-vl)");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer("Example: spillway images workloads/traces/coco_val2017.csv");
  command->callback([arguments, &status] { status = print_images(*arguments); });
}

}  // namespace spillway
