#include "json/schema.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"

namespace spillway {
namespace {

constexpr const char* kKindsOfSchemas =
    "cases, check, comparison, derivation, execution, experiment, explanation, framework, known-errors, "
    "layout-explanation, plan, plans, platform, program, report, support, sweep, twin, validation, "
    "validation-cases or validation-tables";

int print_schema(const std::string& kind) {
  const auto text = json_schema(kind);
  if (!text) refuse_argument("KIND", kKindsOfSchemas, '"' + kind + '"');
  std::cout << *text;
  return 0;
}

}  // namespace

void add_schema(CLI::App& app, int& status) {
  auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of a file format");
  command->add_option("KIND", *kind, kKindsOfSchemas)->required();
  command->footer("Example: spillway schema experiment");
  command->callback([kind, &status] { status = print_schema(*kind); });
}

}  // namespace spillway
