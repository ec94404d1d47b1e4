#include "evaluate/case_classes.h"

#include <algorithm>
#include <functional>

namespace spillway {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> median_width(const std::vector<CaseResult>& cases) {
  std::vector<double> widths;
  for (const CaseResult& one : cases)
    if (one.holds() && !one.measured.fitted) widths.push_back(one.interval->high - one.interval->low);
  return widths.empty() ? std::nullopt : std::optional(median(std::move(widths)));
}

std::size_t fitted_cases(const std::vector<CaseResult>& cases) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cases, [](const CaseResult& one) { return one.measured.step && one.measured.fitted; }));
}

ClassSummary summary_of(std::string name, const std::vector<CaseResult>& cases,
                        const std::vector<LayoutGroup>& groups) {
  const std::optional<Coverage> held = coverage(cases);
  return {std::move(name),
          fitted_cases(cases),
          time_errors(cases, false),
          held,
          held ? std::optional(central_band(held->of, kIntervalHolds, kCoverageBand)) : std::nullopt,
          median_width(cases),
          memory_errors(cases, false),
          memory_verdicts(cases),
          ranking(groups)};
}

// The cases and groups for which `is_in` of their class is true.
ClassSummary summary_where(const std::vector<ValidatedCases>& tables, const std::string& name,
                           const std::function<bool(const std::string&)>& is_in) {
  std::vector<CaseResult> cases;
  std::vector<LayoutGroup> groups;
  for (const ValidatedCases& one : tables) {
    std::ranges::copy_if(one.cases, std::back_inserter(cases),
                         [&](const CaseResult& each) { return is_in(each.measured.of_class); });
    std::ranges::copy_if(layout_groups(one.cases), std::back_inserter(groups),
                         [&](const LayoutGroup& each) { return is_in(each.of_class); });
  }
  return summary_of(name, cases, groups);
}

std::vector<std::string> classes_of(const std::vector<ValidatedCases>& tables) {
  std::vector<std::string> names;
  for (const ValidatedCases& one : tables)
    for (const CaseResult& each : one.cases)
      if (std::ranges::find(names, each.measured.of_class) == names.end())
        names.push_back(each.measured.of_class);
  return names;
}

}  // namespace

std::vector<ClassSummary> class_summaries(const std::vector<ValidatedCases>& tables) {
  std::vector<ClassSummary> all;
  for (const std::string& name : classes_of(tables))
    all.push_back(summary_where(tables, name, [&](const std::string& other) { return other == name; }));
  return all;
}

ClassSummary summary_of_all(const std::vector<ValidatedCases>& tables) {
  return summary_where(tables, "", [](const std::string&) { return true; });
}

}  // namespace spillway
