#include "compare/read_sides.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/findings.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/shipped_files.h"
#include "report/step/json.h"
#include "traces/formats/read_trace.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

struct GivenFile {
  Source source;
  SideKind kind;
  std::optional<Node> document;  // nothing for a trace
};

// Returns the document's schema, such as "spillway/report/2", or "".
std::string schema_of(const Node& document) {
  const auto* object = std::get_if<Object>(&document.value);
  const Node* schema = object ? find(*object, "schema") : nullptr;
  const auto* text = schema ? std::get_if<std::string>(&schema->value) : nullptr;
  return text ? *text : "";
}

SideKind kind_of(const Node& document, Findings& findings) {
  const std::string schema = schema_of(document);
  if (schema.starts_with("spillway/report/")) return SideKind::Report;
  // For any other document, the error names its kind and the command that reads it.
  is_another_kind(document, "experiment", findings);
  return SideKind::Experiment;
}

Source with_report_of_folder(const Source& argument) {
  const std::string report = argument.file + "/report.json";
  const bool is_of_a_run = !argument.text && is_folder(argument.file) && is_plain_file(report);
  return is_of_a_run ? Source(report) : argument;
}

GivenFile given(const Source& argument) {
  Source source = with_report_of_folder(shipped_source(argument, "experiment"));
  if (!is_own_document(source)) return {std::move(source), SideKind::Trace, std::nullopt};
  Findings findings(source.file);
  std::optional<Node> document = read_json(source, findings);
  findings.throw_if_any();
  const SideKind kind = kind_of(*document, findings);
  findings.throw_if_any();
  return {std::move(source), kind, std::move(document)};
}

Evaluation evaluated(const Source& source, const Engines& engines) try {
  const Experiment experiment = read_experiment(source, {});
  return warned(evaluate(experiment, engines), experiment, engines);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), source.file, ""));
}

// Returns the report that `run` would print.
Node report_of(const Evaluation& evaluation) {
  Findings none("");
  return parse_json(report_json(evaluation), none).value();
}

Side side_of(const GivenFile& file, const GivenFile& other) {
  const std::string& path = file.source.file;
  if (file.kind == SideKind::Trace) return trace_side(path);
  if (file.kind == SideKind::Report) return report_side(path, *file.document);
  if (other.kind == SideKind::Report) {
    Side side = report_side(path, report_of(evaluated(file.source, engines_of(*other.document))));
    side.kind = SideKind::Experiment;
    return side;
  }
  return experiment_side(path, *file.document, evaluated(file.source, {.run = {Engine::LongestPath}}));
}

}  // namespace

std::pair<Side, Side> read_sides(const Source& a, const Source& b) {
  const GivenFile first = given(a), second = given(b);
  // An invalid report is refused before the other side's experiment is evaluated, which may take long.
  for (const GivenFile* file : {&first, &second})
    if (file->kind == SideKind::Report) report_side(file->source.file, *file->document);
  return {side_of(first, second), side_of(second, first)};
}

}  // namespace spillway
