#include "compare/read_sides.h"

#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/findings.h"
#include "compare/experiment_side.h"
#include "compare/report_side.h"
#include "compare/trace_side.h"
#include "evaluate/evaluate.h"
#include "measured/formats/read_trace.h"
#include "report/step/json.h"
#include "spec/experiment/experiment.h"
#include "spec/json/document.h"
#include "spec/json/document_kind.h"
#include "spec/json/json_text.h"

namespace spillway {
namespace {

struct GivenFile {
  std::string path;
  SideKind kind;
  std::optional<Node> document;  // of what is no trace
};

// "spillway/report/2" of a document that has it.
std::string schema_of(const Node& document) {
  const auto* object = std::get_if<Object>(&document.value);
  const Node* schema = object ? find(*object, "schema") : nullptr;
  const auto* text = schema ? std::get_if<std::string>(&schema->value) : nullptr;
  return text ? *text : "";
}

SideKind kind_of(const Node& document, Findings& findings) {
  const std::string schema = schema_of(document);
  if (schema.starts_with("spillway/report/")) return SideKind::Report;
  // Who gives anything else is told what it is, and what takes it.
  is_another_kind(document, "experiment", findings);
  return SideKind::Experiment;
}

GivenFile given(const std::string& argument) {
  const std::string report = argument + "/report.json";
  const std::string path = is_folder(argument) && is_plain_file(report) ? report : argument;
  if (!is_plain_file(path) || !names_our_schema(beginning_of(path)))
    return {path, SideKind::Trace, std::nullopt};
  Findings findings(path);
  std::optional<Node> document = read_json(path, findings);
  findings.throw_if_any();
  const SideKind kind = kind_of(*document, findings);
  findings.throw_if_any();
  return {path, kind, std::move(document)};
}

Evaluation evaluated(const std::string& path, const Engines& engines) try {
  return evaluate(read_experiment(path, {}), engines);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), path, ""));
}

// As `run` would print it.
Node report_of(const Evaluation& evaluation) {
  Findings none("");
  return parse_json(report_json(evaluation), none).value();
}

Side side_of(const GivenFile& file, const GivenFile& other) {
  if (file.kind == SideKind::Trace) return trace_side(file.path);
  if (file.kind == SideKind::Report) return report_side(file.path, *file.document);
  if (other.kind == SideKind::Report) {
    Side side = report_side(file.path, report_of(evaluated(file.path, engines_of(*other.document))));
    side.kind = SideKind::Experiment;
    return side;
  }
  return experiment_side(file.path, *file.document, evaluated(file.path, {.run = {Engine::LongestPath}}));
}

}  // namespace

std::pair<Side, Side> read_sides(const std::string& a, const std::string& b) {
  const GivenFile first = given(a), second = given(b);
  // What is wrong with a report is said before an experiment beside it is evaluated.
  for (const GivenFile* file : {&first, &second})
    if (file->kind == SideKind::Report) report_side(file->path, *file->document);
  return {side_of(first, second), side_of(second, first)};
}

}  // namespace spillway
