#include "json/schema.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "json/schema_example.h"

namespace spillway {
namespace {

constexpr const char* kKindsOfSchemas =
    "cases, check, comparison, derivation, execution, experiment, explanation, framework, known-errors, "
    "launch, launches, layout-explanation, plan, plans, platform, profile, program, report, step-log, "
    "support, "
    "sweep, synthesis, twin, validation, validation-cases or validation-tables";

struct Arguments {
  std::string kind;
  std::optional<std::string> example;  // the name of the example's document
};

std::string example_of(const Arguments& given, std::string_view schema) {
  const std::string text = schema_example(schema, *given.example);
  if (text.empty()) refuse_argument("--example", "the kind platform, which has examples", given.kind);
  return text;
}

int print_schema(const Arguments& given) {
  const auto schema = json_schema(given.kind);
  if (!schema) refuse_argument("KIND", kKindsOfSchemas, '"' + given.kind + '"');
  std::cout << (given.example ? example_of(given, *schema) : std::string(*schema));
  return 0;
}

}  // namespace

void add_schema(CLI::App& app, int& status) {
  auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of a file format");
  command->add_option("KIND", given->kind, kKindsOfSchemas)->required();
  command->add_option(
      "--example", given->example,
      "print a file of this name to begin with instead: every number is explained (platform)");
  command->footer(
      "Example: spillway schema experiment\n"
      "Example: spillway schema platform --example mine");
  command->callback([given, &status] { status = print_schema(*given); });
}

}  // namespace spillway
