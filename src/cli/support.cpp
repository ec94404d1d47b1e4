#include "report/inputs/support.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "input/architecture/architecture_reader.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

constexpr int kRefused = 3;

struct SupportArguments {
  std::string config;
  bool json = false;
};

int print_support(const SupportArguments& arguments) {
  const std::string config = shipped_or(arguments.config, "architecture");
  const std::vector<SupportedPart> parts = read_support(config);
  std::cout << (arguments.json ? support_json(config, parts) : support_text(config, parts));
  const bool covered =
      std::ranges::all_of(parts, [](const SupportedPart& part) { return part.architecture.has_value(); });
  return covered ? 0 : kRefused;
}

}  // namespace

void add_support(CLI::App& app, int& status) {
  auto arguments = std::make_shared<SupportArguments>();
  CLI::App* command = app.add_subcommand("support",
                                         "list which parts of a model's config.json are covered, assumed or "
                                         "refused, and its parameters by part");
  command->add_option("CONFIG", arguments->config, "config.json of a Hugging Face model")->required();
  command->add_flag("--json", arguments->json, "print one JSON document (spillway schema support)");
  command->footer(
      "Exits with status 3 if a part of the model is refused.\n"
      "Example: spillway support workloads/models/qwen3-vl-30b-a3b/config.json");
  command->callback([arguments, &status] { status = print_support(*arguments); });
}

}  // namespace spillway
