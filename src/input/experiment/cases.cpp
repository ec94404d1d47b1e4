// Reading the file reads every case as an experiment, so that all violations are known before the first case
// runs.
#include "input/experiment/cases.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/place.h"
#include "json/settings.h"

namespace spillway {
namespace {

std::shared_ptr<const Node> copy_of(const Place& place) {
  return std::make_shared<const Node>(*place.node);
}

std::optional<std::shared_ptr<const Node>> read_kept_object(const Place& place) {
  if (std::holds_alternative<Object>(place.node->value)) return copy_of(place);
  place.refuse("an object");
  return std::nullopt;
}

struct ReadCase {
  MeasuredCase measured;
  std::shared_ptr<const Node> set;
};

constexpr std::array<std::pair<std::string_view, RunEnd>, 2> kRunEnds{
    {{"ran", RunEnd::Ran}, {"out-of-memory", RunEnd::OutOfMemory}}};

// A run that was measured has run. One that ran out of memory measured nothing.
RunEnd read_end(const Fields& fields) {
  const bool measured = fields.at("measured_s") || fields.at("measured_memory_gb");
  const RunEnd otherwise = measured ? RunEnd::Ran : RunEnd::Unknown;
  const RunEnd end =
      fields.get("run", [](const Place& p) { return read_choice<RunEnd>(p, kRunEnds); }).value_or(otherwise);
  if (end == RunEnd::OutOfMemory && measured)
    fields.at("run")->refuse("\"ran\", since the case has measurements");
  return end;
}

std::optional<ReadCase> read_case(const Place& place) {
  const Fields fields(
      place, {"name", "class", "set", "measured_s", "predicted_s", "measured_memory_gb", "fitted", "run"});
  const auto name = fields.need("name", read_text);
  const auto set = fields.need("set", read_kept_object);
  const auto positive = [](const Place& p) { return read_number(p, kPositive); };
  const auto seconds = [&](const char* key) {
    const auto number = fields.get(key, positive);
    return number ? std::optional(Seconds(*number)) : std::nullopt;
  };
  const auto step = seconds("measured_s"), blind = seconds("predicted_s");
  const auto memory = fields.get("measured_memory_gb", positive);
  const bool fitted = fields.get("fitted", read_boolean).value_or(false);
  if (fitted && !fields.at("measured_s"))
    fields.at("fitted")->refuse("false, since the case has no measured_s to fit to");
  const std::string of_class = fields.get("class", read_text).value_or("");
  const RunEnd end = read_end(fields);
  if (!name || !set) return std::nullopt;
  const auto bytes = memory ? std::optional(gigabytes(*memory)) : std::nullopt;
  return ReadCase{{*name, step, blind, bytes, fitted, of_class, end}, *set};
}

std::optional<FitRange> read_range(const Place& place) {
  const Fields fields(place, {"pointer", "from", "to"});
  const auto pointer = fields.need("pointer", read_text);
  const auto from = fields.need("from", [](const Place& p) { return read_number(p, kNotNegative); });
  const auto to = fields.need("to", [](const Place& p) { return read_number(p, kPositive); });
  if (!pointer || !from || !to) return std::nullopt;
  if (*from < *to) return FitRange{*pointer, *from, *to};
  fields.at("to")->refuse("a number above from");
  return std::nullopt;
}

// Sets values in a base experiment. Settings of the command line are text; those of a case are JSON.
Experiment experiment_from(Node document, const std::vector<Setting>& base, const Node& set,
                           const std::vector<Setting>& changes, const std::string& path, const Files& files) {
  Findings findings(path);
  apply(base, document, findings);
  apply(std::get<Object>(set.value), document, findings);
  apply(changes, document, findings);
  std::optional<Experiment> experiment = read_experiment(Place{&document, "", &findings, &files});
  if (experiment && experiment->schedules.size() != 1)
    findings.add("/schedules", "one schedule", std::to_string(experiment->schedules.size()));
  findings.throw_if_any();
  return *std::move(experiment);
}

// Moves a violation of a case's experiment into the file of the table: to the case's own value if it concerns
// that, otherwise to the base experiment.
Violation relocated(Violation violation, const std::string& path, const Node& set, std::size_t index) {
  if (violation.file != path) return violation;
  for (const auto& [place, value] : std::get<Object>(set.value)) {
    const auto below = wrong_below(violation, place);
    if (!below) continue;
    violation.pointer = child("/cases/" + std::to_string(index) + "/set", place) + *below;
    return violation;
  }
  violation.pointer = "/experiment" + (violation.pointer == "/" ? "" : violation.pointer);
  return violation;
}

// Returns each violation of the cases once. A violation of the base experiment that only some cases have
// names the first of them.
std::vector<Violation> merged(const std::vector<std::vector<Violation>>& by_case,
                              const std::vector<MeasuredCase>& cases) {
  std::vector<Violation> known, shown;
  for (std::size_t i = 0; i < by_case.size(); ++i) {
    for (const Violation& violation : by_case[i]) {
      if (std::find(known.begin(), known.end(), violation) != known.end()) continue;
      known.push_back(violation);
      shown.push_back(violation);
      const bool everywhere = std::all_of(by_case.begin(), by_case.end(), [&](const auto& violations) {
        return std::find(violations.begin(), violations.end(), violation) != violations.end();
      });
      if (!everywhere && !violation.pointer.starts_with("/cases/"))
        shown.back().found += " in case " + describe({cases[i].name});
    }
  }
  return shown;
}

}  // namespace

CaseFile::CaseFile(const Source& source) : path_(source.file), memory_(std::make_shared<FileMemory>()) {
  Findings findings(path_);
  const Files files(*memory_);
  const std::optional<Node> document = read_json(source, findings, files);
  if (!document || is_another_kind(*document, "cases", findings)) findings.throw_if_any();
  const Fields fields(
      Place{&*document, "", &findings, &files},
      {"schema", "name", "note", "source", "class", "assumptions", "experiment", "fit", "cases"});
  require_schema(fields, "spillway/cases/1");
  fields.get("note", read_text);
  table_.name = fields.need("name", read_text).value_or("");
  table_.source = fields.need("source", read_text).value_or("");
  const auto read_names = [](const Place& p) { return read_each(p, read_text); };
  table_.assumptions = fields.get("assumptions", read_names).value_or(std::vector<std::string>{});
  const auto read_ranges = [](const Place& p) { return read_each(p, read_range); };
  table_.fit = fields.get("fit", read_ranges).value_or(std::vector<FitRange>{});
  base_ = fields.need("experiment", read_kept_object).value_or(nullptr);
  const std::string of_class = fields.get("class", read_text).value_or("");
  const auto cases = fields.need("cases", [](const Place& p) { return read_each(p, read_case); });
  if (cases && cases->empty()) fields.at("cases")->refuse("at least one case");
  require_once(fields, "fit", "pointer");
  require_once(fields, "cases", "name");
  findings.throw_if_any();
  for (const ReadCase& one : *cases) {
    table_.cases.push_back(one.measured);
    if (one.measured.of_class.empty()) table_.cases.back().of_class = of_class;
    sets_.push_back(one.set);
  }
  check_cases();
}

void CaseFile::check_cases() {
  std::vector<std::vector<Violation>> by_case(sets_.size());
  for (std::size_t index = 0; index < sets_.size(); ++index) {
    try {
      const Experiment read = experiment(index);
      if (index == 0)
        table_.assumptions.insert(table_.assumptions.end(), read.assumptions.begin(), read.assumptions.end());
    } catch (const InputError& error) {
      by_case[index] = error.violations();
    }
  }
  std::vector<Violation> all = merged(by_case, table_.cases);
  if (all.empty()) all = check_fit();
  if (!all.empty()) throw InputError(std::move(all));
}

// Returns a violation for each pointer that names no number of the base experiment.
std::vector<Violation> CaseFile::check_fit() const {
  std::vector<Violation> violations;
  for (std::size_t i = 0; i < table_.fit.size(); ++i) {
    const FitRange& range = table_.fit[i];
    try {
      experiment(0, {{range.pointer, describe({range.to})}});
    } catch (const InputError&) {
      violations.push_back({path_, "/fit/" + std::to_string(i) + "/pointer",
                            "a number of the experiment whose allowed range includes to",
                            describe({range.pointer})});
    }
  }
  return violations;
}

Node CaseFile::document(std::size_t index, const std::vector<Setting>& base) const {
  Node document = *base_;
  Findings findings(path_);
  apply(base, document, findings);
  apply(std::get<Object>(sets_[index]->value), document, findings);
  return document;
}

Experiment CaseFile::experiment(std::size_t index, const std::vector<Setting>& base,
                                const std::vector<Setting>& changes) const {
  try {
    return experiment_from(*base_, base, *sets_[index], changes, path_, Files(*memory_));
  } catch (const InputError& error) {
    std::vector<Violation> violations = error.violations();
    for (Violation& violation : violations)
      violation = relocated(std::move(violation), path_, *sets_[index], index);
    throw InputError(std::move(violations));
  }
}

}  // namespace spillway
