#include <cmath>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "compare/comparison_print.h"
#include "compare/verdict.h"
#include "json/document.h"
#include "json/dumped.h"

namespace spillway {
namespace {

using ComparisonJson = nlohmann::ordered_json;

ComparisonJson json_of(const std::optional<Node>& value) {
  return value ? ComparisonJson::parse(compact_json(*value)) : ComparisonJson();
}

ComparisonJson json_of(const ComparedSide& side) {
  return {{"file", side.file}, {"kind", to_string(side.kind)}};
}

ComparisonJson json_of(const ComparedFigure& figure) {
  return {{"a", figure.a},
          {"b", figure.b},
          {"difference", figure.difference()},
          {"ci95", figure.ci95 ? ComparisonJson(*figure.ci95) : ComparisonJson()}};
}

ComparisonJson json_of(const std::optional<EventTimes>& times) {
  if (!times) return nullptr;
  return {{"rank", times->rank.index()}, {"start_s", times->start.value()}, {"end_s", times->end.value()}};
}

ComparisonJson json_of(const std::optional<Divergence>& divergence) {
  if (!divergence) return nullptr;
  return {{"event", divergence->event},
          {"replica", divergence->replica.index()},
          {"a", json_of(divergence->a)},
          {"b", json_of(divergence->b)}};
}

ComparisonJson configuration_json(const std::vector<Difference>& differences) {
  ComparisonJson all = ComparisonJson::array();
  for (const Difference& difference : differences)
    all.push_back(
        {{"pointer", difference.pointer}, {"a", json_of(difference.a)}, {"b", json_of(difference.b)}});
  return all;
}

ComparisonJson causes_json(const std::vector<Cause>& causes) {
  ComparisonJson all = ComparisonJson::object();
  for (const Cause& cause : causes) all[cause.name] = cause.difference.value();
  return all;
}

ComparisonJson changes_json(const std::vector<ChangeEffect>& changes) {
  ComparisonJson all = ComparisonJson::array();
  for (const ChangeEffect& change : changes)
    all.push_back({{"pointers", change.pointers}, {"difference_s", change.difference.value()}});
  return all;
}

ComparisonJson figures_json(const std::vector<ComparedFigure>& figures) {
  ComparisonJson all = ComparisonJson::object();
  for (const ComparedFigure& figure : figures) all[figure.key] = json_of(figure);
  return all;
}

ComparisonJson moves_json(const std::vector<RankMove>& moves) {
  ComparisonJson all = ComparisonJson::array();
  for (const RankMove& move : moves)
    all.push_back(
        {{"rank", move.rank.index()}, {"what", move.what}, {"a_s", move.a.value()}, {"b_s", move.b.value()}});
  return all;
}

ComparisonJson json_of(const ScheduleComparison& schedule) {
  return {{"name", schedule.name},
          {"other_name", schedule.other_name},
          {"makespan_s", json_of(schedule.makespan)},
          {"causes_are", to_string(schedule.decomposition)},
          {"causes", causes_json(schedule.causes)},
          {"changes", changes_json(schedule.changes)},
          {"figures", figures_json(schedule.figures)},
          {"moves", moves_json(schedule.moves)},
          {"too_large_a", schedule.too_large_a},
          {"too_large_b", schedule.too_large_b},
          {"warned_a", schedule.warned_a},
          {"warned_b", schedule.warned_b},
          {"aligned", schedule.aligned},
          {"first_divergence", json_of(schedule.first_divergence)}};
}

ComparisonJson json_of(const ConditionOutcome& outcome) {
  const double percent = 100 * outcome.figure.relative();
  return {{"condition", outcome.condition.text},
          {"schedule", outcome.schedule},
          {"percent", std::isfinite(percent) ? ComparisonJson(percent) : ComparisonJson()},
          {"holds", outcome.holds}};
}

template <class Values>
ComparisonJson each(const Values& values) {
  ComparisonJson all = ComparisonJson::array();
  for (const auto& value : values) all.push_back(json_of(value));
  return all;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions) {
  const ComparisonJson document{{"schema", "spillway/comparison/1"},
                                {"program", program_version()},
                                {"a", json_of(comparison.a)},
                                {"b", json_of(comparison.b)},
                                {"configuration", configuration_json(comparison.configuration)},
                                {"schedules", each(comparison.schedules)},
                                {"only_a", comparison.only_a},
                                {"only_b", comparison.only_b},
                                {"notes", comparison.notes},
                                {"fail_if", each(conditions)}};
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
