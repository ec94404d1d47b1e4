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
#include "search/software/unstated_software.h"
#include "traces/formats/read_trace.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

struct GivenFile {
  Source source;
  SideKind kind;
  std::optional<Node> document;          // nothing for a trace
  std::optional<Experiment> experiment;  // nothing for a trace or a report
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
  if (!is_own_document(source)) return {std::move(source), SideKind::Trace, {}, {}};
  Findings findings(source.file);
  std::optional<Node> document = read_json(source, findings);
  findings.throw_if_any();
  const SideKind kind = kind_of(*document, findings);
  findings.throw_if_any();
  std::optional<Experiment> experiment;
  if (kind == SideKind::Experiment) experiment = read_experiment(source, {});
  // An invalid report is refused before the other side's experiment is evaluated, which may take long.
  if (kind == SideKind::Report) report_side(source.file, *document);
  return {std::move(source), kind, std::move(document), std::move(experiment)};
}

// Makes something of each, which may depend on the other. Throws the violations of both.
template <class Make, class From>
auto both(Make make, const From& a, const From& b) {
  using Made = decltype(make(a, b));
  std::optional<Made> first, second;
  InputErrors errors;
  errors.of([&] { first = make(a, b); });
  errors.of([&] { second = make(b, a); });
  errors.throw_if_any();
  return std::pair<Made, Made>(*std::move(first), *std::move(second));
}

Evaluation evaluated(const Experiment& experiment, const std::string& file) try {
  const Engines engines{.run = {Engine::LongestPath}};
  return warned(evaluate(experiment, engines), experiment, engines);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), file, ""));
}

// Returns the report that `run` would print, with all that it warns of.
Node report_of(const Experiment& experiment, const std::string& file, Engines engines) try {
  engines.references = true;
  Evaluation evaluation = warned(evaluate(experiment, engines), experiment, engines);
  if (auto unstated = unstated_software(experiment, evaluation))
    evaluation.warnings.push_back(*std::move(unstated));
  Findings none("");
  return parse_json(report_json(evaluation), none).value();
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), file, ""));
}

Side side_of(const GivenFile& file, const GivenFile& other) {
  const std::string& path = file.source.file;
  if (file.kind == SideKind::Trace) return trace_side(path);
  if (file.kind == SideKind::Report) return report_side(path, *file.document);
  if (other.kind == SideKind::Report) {
    Side side = report_side(path, report_of(*file.experiment, path, engines_of(*other.document)));
    side.kind = SideKind::Experiment;
    return side;
  }
  return experiment_side(path, *file.document, evaluated(*file.experiment, path));
}

}  // namespace

std::pair<Side, Side> read_sides(const Source& a, const Source& b) {
  const auto [first, second] = both([](const Source& one, const Source&) { return given(one); }, a, b);
  return both(side_of, first, second);
}

}  // namespace spillway
