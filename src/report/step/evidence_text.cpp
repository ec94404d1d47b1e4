#include "report/step/evidence_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kNamedInALine = 3;
constexpr std::size_t kListed = 20;

double share(const PricedOperator& priced, const std::vector<PricedOperator>& all) {
  Seconds total;
  for (const PricedOperator& other : all) total += other.time;
  return priced.time / total;
}

std::string shares_text(const EvidenceSummary& summary) {
  std::string text;
  for (std::size_t kind = 0; kind < kEvidenceKinds; ++kind) {
    const double share = summary.share_of_time[kind];
    if (share == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", to_string(static_cast<Evidence>(kind)), percent(share, 1));
  }
  return text;
}

std::string unmeasured_text(const EvidenceSummary& summary) {
  const std::size_t count = summary.unmeasured.size();
  std::string text = counted(count, "operator shape") + " without a measurement";
  const char* before = count > 1 ? ", the longest: " : ": ";
  for (std::size_t i = 0; i < std::min(count, kNamedInALine); ++i) {
    text += before + summary.unmeasured[i].name + ' ' + summary.unmeasured[i].shape;
    before = ", ";
  }
  return text;
}

}  // namespace

std::string evidence_lines(const ScheduleResult& schedule, std::size_t columns) {
  if (!schedule.first.evidence) return {};
  const EvidenceSummary& summary = *schedule.first.evidence;
  return wrapped("  evidence: ",
                 fmt::format("weakest {}; by share of operator time: {}", to_string(summary.weakest),
                             shares_text(summary)),
                 columns) +
         (summary.unmeasured.empty() ? "" : wrapped("  ", unmeasured_text(summary), columns));
}

std::string unmeasured_table(const ScheduleResult& schedule) {
  if (!schedule.first.evidence) return {};
  const std::vector<PricedOperator>& unmeasured = schedule.first.evidence->unmeasured;
  if (unmeasured.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"without a measurement", "evidence", "share of time"}};
  for (std::size_t i = 0; i < std::min(unmeasured.size(), kListed); ++i) {
    const PricedOperator& priced = unmeasured[i];
    rows.push_back({priced.name + ' ' + priced.shape, to_string(priced.evidence),
                    percent(share(priced, schedule.first.operators), 2)});
  }
  std::string text = table_text(rows);
  if (unmeasured.size() > kListed) text += fmt::format("  and {} more\n", unmeasured.size() - kListed);
  return text;
}

std::string inputs_text(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const PlatformInput& input : evaluation.inputs) {
    const std::string unit = input.unit.empty() ? "" : ' ' + input.unit;
    text += wrapped("input    ",
                    fmt::format("{} = {:.6g}{}; {}: {}", input.name, input.value, unit,
                                to_string(input.evidence), input.source),
                    columns);
  }
  return text;
}

std::string provenance(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const FittedParameter& f : evaluation.fitted)
    text += wrapped("fitted:  ",
                    fmt::format("{} = {:.6g}, so that {} takes {} (reached {})", f.pointer, f.value,
                                f.schedule, duration_text(f.target), duration_text(f.reached)),
                    columns);
  for (const std::string& assumption : evaluation.assumptions)
    text += wrapped("assumed: ", assumption, columns);
  return text.empty() ? text : '\n' + text;
}

std::string warning_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const Warning& warning : evaluation.warnings) text += wrapped("warning: ", warning.text, columns);
  for (const ScheduleResult& schedule : evaluation.schedules)
    for (const Warning& warning : schedule.warnings)
      text += wrapped("warning: " + schedule.name + ": ", warning.text, columns);
  return text;
}

}  // namespace spillway
