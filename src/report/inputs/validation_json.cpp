#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/validation_table.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json number_or_null(const std::optional<Value>& quantity) {
  return quantity ? Json(quantity->value()) : Json(nullptr);
}

Json error_or_null(const std::optional<double>& error) {
  return error ? Json(*error) : Json(nullptr);
}

Json case_interval_json(const CaseResult& one) {
  if (!one.interval) return nullptr;
  return {{"from_s", (one.step * one.interval->low).value()},
          {"to_s", (one.step * one.interval->high).value()},
          {"draws", one.interval->draws}};
}

Json causes_json(const CaseResult& one) {
  if (!one.causes) return nullptr;
  return {{"without_communication_s", one.causes->without_communication.value()},
          {"without_hosts_s", one.causes->without_hosts.value()}};
}

Json explanation_json(const CaseResult& one) {
  if (!one.explanation) return nullptr;
  const CaseExplanation& by = *one.explanation;
  Json set = Json::array();
  for (const auto& [pointer, value] : by.settings) set.push_back({{"pointer", pointer}, {"value", value}});
  return {{"verdict", by.verdict},
          {"change", by.setting.empty() ? Json(nullptr) : Json(by.setting)},
          {"set", std::move(set)},
          {"closes", by.closes},
          {"plausibility", by.plausibility}};
}

Json run_end_json(RunEnd end) {
  if (end == RunEnd::Unknown) return nullptr;
  return end == RunEnd::Ran ? "ran" : "out-of-memory";
}

Json fit_json(const CaseResult& one) {
  const std::optional<double> share = one.memory_share();
  return share ? Json(*share <= 1) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json case_row(const CaseResult& one) {
  return {{"name", one.measured.name},
          {"class", text_or_null(one.measured.of_class)},
          {"fitted", one.measured.fitted},
          {"measured_s", number_or_null(one.measured.step)},
          {"predicted_s", one.step.value()},
          {"error", error_or_null(one.error())},
          {"predicted_blind_s", number_or_null(one.measured.blind)},
          {"blind_error", error_or_null(one.blind_error())},
          {"interval", case_interval_json(one)},
          {"causes", causes_json(one)},
          {"explanation", explanation_json(one)},
          {"measured_memory_bytes", number_or_null(one.measured.memory)},
          {"predicted_memory_bytes", number_or_null(one.memory)},
          {"memory_error", error_or_null(one.memory_error())},
          {"memory_limit_bytes", number_or_null(one.limit)},
          {"fits", fit_json(one)},
          {"run", run_end_json(one.measured.end)}};
}

Json coverage_json(const std::optional<Coverage>& coverage) {
  if (!coverage) return nullptr;
  return {{"cases", coverage->of}, {"held", coverage->held}, {"nominal", kIntervalHolds}};
}

Json cause_json(const std::optional<CauseErrors>& errors) {
  if (!errors) return nullptr;
  return {{"share", errors->share},
          {"least_share", errors->least_share},
          {"least_bias", errors->least_bias},
          {"greatest_share", errors->greatest_share},
          {"greatest_bias", errors->greatest_bias}};
}

Json error_summary_json(const std::optional<ErrorSummary>& summary) {
  if (!summary) return nullptr;
  return {{"cases", summary->count},
          {"mean_abs_error", summary->mean_absolute},
          {"max_abs_error", summary->most_absolute},
          {"bias", summary->bias}};
}

}  // namespace

std::string validation_json(const CaseTable& table, const std::vector<CaseResult>& cases) {
  Json rows = Json::array();
  for (const CaseResult& one : cases) rows.push_back(case_row(one));
  const Json document = {
      {"schema", "spillway/validation-cases/1"},
      {"name", table.name},
      {"source", table.source},
      {"assumptions", table.assumptions},
      {"cases", rows},
      {"summary",
       {{"time", error_summary_json(time_errors(cases, false))},
        {"time_blind", error_summary_json(blind_errors(cases))},
        {"time_fitted", error_summary_json(time_errors(cases, true))},
        {"intervals", coverage_json(coverage(cases))},
        {"communication", cause_json(errors_by(&StepCauses::without_communication, cases))},
        {"hosts", cause_json(errors_by(&StepCauses::without_hosts, cases))},
        {"memory", error_summary_json(memory_errors(cases, false))},
        {"memory_fitted", error_summary_json(memory_errors(cases, true))}}}};
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
