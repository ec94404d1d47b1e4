#include "report/inputs/validation_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string time_text(const std::optional<Seconds>& time) {
  return time ? duration_text(*time) : "-";
}

std::string error_text(const std::optional<double>& error) {
  return error ? signed_percent(*error, 1) : "";
}

std::string memory_text(const std::optional<Bytes>& memory) {
  return memory ? fmt::format("{:.2f} GB", memory->value() / 1e9) : "";
}

bool any_memory(const std::vector<CaseResult>& cases) {
  for (const CaseResult& one : cases)
    if (one.memory_error()) return true;
  return false;
}

bool any_blind(const std::vector<CaseResult>& cases) {
  return std::ranges::any_of(cases, [](const CaseResult& one) { return one.measured.blind.has_value(); });
}

bool any_causes(const std::vector<CaseResult>& cases) {
  return std::ranges::any_of(cases, [](const CaseResult& one) { return one.causes.has_value(); });
}

std::string share_text(const CaseResult& one, Seconds StepCauses::*without) {
  return one.causes ? percent(1 - (*one.causes).*without / one.step, 1) : "";
}

// A run that ran should fit, and one that ran out of memory should not.
std::string memory_remark(const CaseResult& one) {
  const std::optional<double> share = one.memory_share();
  if (!share) return "";
  if (one.measured.end == RunEnd::Ran && *share > 1) return "ran, does not fit";
  if (one.measured.end == RunEnd::OutOfMemory) return *share > 1 ? "ran out of memory" : "ran out, fits";
  return "";
}

std::string remark_on(const CaseResult& one) {
  const std::string fitted = one.measured.fitted ? "fitted" : "", memory = memory_remark(one);
  return fitted + (fitted.empty() || memory.empty() ? "" : ", ") + memory;
}

TableRows case_rows(const std::vector<CaseResult>& cases) {
  const bool causes = any_causes(cases), memory = any_memory(cases), blind = any_blind(cases),
             intervals =
                 std::ranges::any_of(cases, [](const CaseResult&one) { return one.interval.has_value(); });
  TableRows rows = {{"case", "measured", "predicted", "error"}};
  if (intervals) rows.front().insert(rows.front().end(), {"90 % from", "to"});
  if (causes) rows.front().insert(rows.front().end(), {"links", "hosts"});
  if (blind) rows.front().insert(rows.front().end(), {"blind", "error"});
  if (memory) rows.front().insert(rows.front().end(), {"memory", "predicted", "error"});
  rows.front().push_back("");
  for (const CaseResult& one : cases) {
    rows.push_back(
        {one.measured.name, time_text(one.measured.step), duration_text(one.step), error_text(one.error())});
    if (intervals) {
      const auto end = [&](double StepInterval::*which) {
        return one.interval ? duration_text(one.step * ((*one.interval).*which)) : "";
      };
      const char* outside = one.holds().value_or(true) ? "" : " *";
      rows.back().insert(rows.back().end(), {end(&StepInterval::low), end(&StepInterval::high) + outside});
    }
    if (causes)
      rows.back().insert(rows.back().end(), {share_text(one, &StepCauses::without_communication),
                                             share_text(one, &StepCauses::without_hosts)});
    if (blind)
      rows.back().insert(rows.back().end(), {time_text(one.measured.blind), error_text(one.blind_error())});
    if (memory)
      rows.back().insert(rows.back().end(), {memory_text(one.measured.memory), memory_text(one.memory),
                                             error_text(one.memory_error())});
    rows.back().push_back(remark_on(one));
  }
  return rows;
}

std::string summary_text(std::string_view what, const ErrorSummary& summary) {
  return fmt::format("{}, {}: mean absolute error {}, largest {}, bias {}", what,
                     counted(summary.count, "case"), percent(summary.mean_absolute, 1),
                     percent(summary.most_absolute, 1), signed_percent(summary.bias, 1));
}

void write_summary(std::ostream& out, std::string_view what, const std::optional<ErrorSummary>& summary) {
  if (summary) out << summary_text(what, *summary) << '\n';
}

// If the cause takes less than 0.05 % even in the half with most of it, the halves mean nothing.
void write_cause(std::ostream& out, std::string_view cause, const std::optional<CauseErrors>& errors) {
  if (!errors) return;
  out << fmt::format("{}, not fitted: {} of the predicted step", cause, percent(errors->share, 1));
  if (errors->greatest_share >= 0.0005)
    out << fmt::format("; bias {} in the half with least ({}), {} in the other half ({})",
                       signed_percent(errors->least_bias, 1), percent(errors->least_share, 1),
                       signed_percent(errors->greatest_bias, 1), percent(errors->greatest_share, 1));
  out << '\n';
}

void write_causes(std::ostream& out, const std::vector<CaseResult>& cases) {
  if (!any_causes(cases)) return;
  write_cause(out, "links", errors_by(&StepCauses::without_communication, cases));
  write_cause(out, "hosts", errors_by(&StepCauses::without_hosts, cases));
  out << wrapped(
      "links, hosts: ",
      "the part of the predicted step that disappears if collectives and transfers (links), or launching "
      "kernels and messages (hosts), take no time; the rest is computing and waiting for it",
      kTableColumns);
}

void write_explanations(std::ostream& out, const std::vector<CaseResult>& cases) {
  const auto explained = [](const CaseResult& one) { return one.explanation.has_value(); };
  if (std::ranges::none_of(cases, explained)) return;
  out << '\n';
  for (const CaseResult& one : cases)
    if (explained(one))
      out << "  " << printable(one.measured.name) << '\n'
          << wrapped("    ", one.explanation->verdict, kTableColumns);
}

// Says nothing if all is as it should be.
void write_memory_verdicts(std::ostream& out, const MemoryVerdicts& fits) {
  if (fits.too_large > 0)
    out << fmt::format("memory: {} of {} that ran {} predicted not to fit, {} by more than {}\n",
                       fits.too_large, counted(fits.ran, "case"), fits.too_large == 1 ? "is" : "are",
                       fits.far_too_large, percent(kFarTooLarge, 0));
  if (fits.too_small > 0)
    out << fmt::format("memory: {} of {} that ran out of memory {} predicted to fit\n", fits.too_small,
                       counted(fits.ran_out, "case"), fits.too_small == 1 ? "is" : "are");
}

void write_assumptions(std::ostream& out, const CaseTable& table) {
  if (!table.assumptions.empty()) out << "\nassumptions\n";
  for (const std::string& assumption : table.assumptions) out << wrapped("  - ", assumption, kTableColumns);
}

}  // namespace

std::string verdict(const std::vector<CaseResult>& cases) {
  const auto words = [](const ErrorSummary& errors, const char* fitted) {
    return fmt::format(
        "The mean absolute error of {} is {}, the largest {}; bias {}; {} fitted to these steps",
        counted(errors.count, "predicted step"), percent(errors.mean_absolute, 1),
        percent(errors.most_absolute, 1), signed_percent(errors.bias, 1), fitted);
  };
  if (const auto errors = time_errors(cases, false)) return words(*errors, "nothing was");
  if (const auto errors = time_errors(cases, true)) return words(*errors, "numbers of the model were");
  return counted(cases.size(), "case") + ", none with a measurement";
}

void write_validation(std::ostream& out, const CaseTable& table, const std::vector<CaseResult>& cases) {
  out << printable(table.name) << '\n' << wrapped("source: ", table.source, kTableColumns) << '\n';
  out << table_text(case_rows(cases)) << '\n';
  write_summary(out, "time, not fitted", time_errors(cases, false));
  write_summary(out, "time, fitted", time_errors(cases, true));
  write_summary(out, "time, predicted before the measurement was known", blind_errors(cases));
  if (const auto held = coverage(cases))
    out << fmt::format(
        "90 % intervals, not fitted, {}: {} contain the measured step, {}; * marks those that do not\n",
        counted(held->of, "case"), held->held,
        percent(static_cast<double>(held->held) / static_cast<double>(held->of), 0));
  write_causes(out, cases);
  write_summary(out, "memory, not fitted", memory_errors(cases, false));
  write_summary(out, "memory, fitted", memory_errors(cases, true));
  write_memory_verdicts(out, memory_verdicts(cases));
  write_explanations(out, cases);
  write_assumptions(out, table);
}

void write_case_fits(std::ostream& out, const CaseTable& table, const CaseFits& fits) {
  for (const CaseFits::Parameter& parameter : fits.parameters)
    out << fmt::format("{} = {:.4g}\n", parameter.pointer, parameter.value);
  out << '\n' << table_text(case_rows(fits.cases)) << '\n';
  write_summary(out, "time, fitted", time_errors(fits.cases, true));
  write_assumptions(out, table);
}

}  // namespace spillway
