#include "report/inputs/class_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/memory_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string class_name(const ClassSummary& one) {
  return one.name.empty() ? "no class" : one.name;
}

std::string share_or_dash(const std::optional<double>& share) {
  return share ? percent(*share, 1) : "-";
}

std::vector<std::string> error_cells(const std::optional<ErrorSummary>& errors) {
  if (!errors) return {"0", "-", "-"};
  return {std::to_string(errors->count), percent(errors->mean_absolute, 1), signed_percent(errors->bias, 1)};
}

std::vector<std::string> interval_cells(const ClassSummary& one) {
  if (!one.intervals) return {"-", "-", "-"};
  const bool as_expected = one.expected->holds(one.intervals->held);
  return {std::to_string(one.intervals->held) + (as_expected ? "" : " *"),
          fmt::format("{} to {}", one.expected->least, one.expected->most), share_or_dash(one.median_width)};
}

std::vector<std::string> layout_cells(const ClassSummary& one) {
  if (!one.layouts) return {"0", "-"};
  return {std::to_string(one.layouts->groups), share_or_dash(one.layouts->mean_regret)};
}

void append_cells(std::vector<std::string>& row, const std::vector<std::string>& cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

std::vector<std::string> class_row(const std::string& name, const ClassSummary& one) {
  std::vector<std::string> row = {name};
  append_cells(row, error_cells(one.time));
  row.push_back(std::to_string(one.fitted));
  append_cells(row, interval_cells(one));
  append_cells(row, layout_cells(one));
  return row;
}

bool says_memory(const ClassSummary& one) {
  return one.memory || one.fits.ran > 0 || one.fits.ran_out > 0;
}

std::vector<std::string> class_memory_row(const std::string& name, const ClassSummary& one) {
  std::vector<std::string> row = {name};
  append_cells(row, error_cells(one.memory));
  append_cells(row, {std::to_string(one.fits.ran), std::to_string(one.fits.too_large),
                     std::to_string(one.fits.far_too_large), std::to_string(one.fits.ran_out),
                     std::to_string(one.fits.too_small)});
  return row;
}

TableRows class_rows(const std::vector<ClassSummary>& classes, const ClassSummary& all) {
  TableRows rows = {
      {"class", "cases", "error", "bias", "fitted", "in 90 %", "expected", "width", "groups", "regret"}};
  for (const ClassSummary& one : classes) rows.push_back(class_row(class_name(one), one));
  rows.push_back(class_row("all", all));
  return rows;
}

TableRows class_memory_rows(const std::vector<ClassSummary>& classes, const ClassSummary& all) {
  TableRows rows = {{"class", "memory", "error", "bias", "ran", "do not fit", "by 5 %", "ran out", "fit"}};
  for (const ClassSummary& one : classes)
    if (says_memory(one)) rows.push_back(class_memory_row(class_name(one), one));
  rows.push_back(class_memory_row("all", all));
  return rows;
}

bool is_wrong_about_memory(const CaseResult& one) {
  const std::optional<double> share = one.memory_share();
  return share && ((one.measured.end == RunEnd::Ran && *share > 1) ||
                   (one.measured.end == RunEnd::OutOfMemory && *share <= 1));
}

TableRows wrong_memory_rows(const std::vector<ValidatedCases>& tables) {
  TableRows rows = {{"case", "predicted", "of", "", "run"}};
  for (const ValidatedCases& table : tables)
    for (const CaseResult& one : table.cases)
      if (is_wrong_about_memory(one))
        rows.push_back({one.measured.name, bytes_text(*one.memory), bytes_text(*one.limit),
                        signed_percent(*one.memory_share() - 1, 1),
                        one.measured.end == RunEnd::Ran ? "ran" : "ran out"});
  return rows;
}

TableRows wrong_group_rows(const std::vector<ValidatedCases>& tables) {
  TableRows rows = {{"predicted to be fastest", "the fastest", "regret"}};
  for (const ValidatedCases& table : tables)
    for (const LayoutGroup& group : layout_groups(table.cases))
      if (group.regret > 0) rows.push_back({group.chosen, group.best, share_or_dash(group.regret)});
  return rows;
}

// A table with more than its heading.
void write_section(std::ostream& out, std::string_view heading, const TableRows& rows) {
  if (rows.size() > 1) out << '\n' << heading << '\n' << table_text(rows);
}

constexpr std::string_view kClassColumns =
    "error: mean of the errors without their signs; bias: mean of the signed errors; in 90 %: cases whose "
    "interval contains the measured step, with * if that is outside of what is expected, the central 95 % of "
    "a binomial of 0.9; width: median distance of an interval's ends, over the predicted step; groups: jobs "
    "with two or more layouts in a table; regret: how much longer the layout predicted to be fastest takes "
    "than the fastest. Cases that a number was fitted to count in groups alone.";

}  // namespace

std::string verdict(const std::vector<ValidatedCases>& tables) {
  const ClassSummary all = summary_of_all(tables);
  std::string text = counted(tables.size(), "table");
  if (all.time)
    text += fmt::format(", {} not fitted: mean absolute error {}, bias {}", counted(all.time->count, "case"),
                        percent(all.time->mean_absolute, 1), signed_percent(all.time->bias, 1));
  if (all.intervals) text += fmt::format("; {} in their 90 % interval", all.intervals->held);
  if (all.layouts)
    text += fmt::format("; mean regret {} over {}", percent(all.layouts->mean_regret, 1),
                        counted(all.layouts->groups, "layout group"));
  return text;
}

void write_classes(std::ostream& out, const std::vector<ValidatedCases>& tables) {
  const std::vector<ClassSummary> classes = class_summaries(tables);
  const ClassSummary all = summary_of_all(tables);
  out << wrapped("", verdict(tables), kTableColumns) << '\n' << table_text(class_rows(classes, all)) << '\n';
  out << wrapped("", kClassColumns, kTableColumns);
  if (says_memory(all)) write_section(out, "memory", class_memory_rows(classes, all));
  write_section(out, "runs whose memory is predicted wrongly", wrong_memory_rows(tables));
  write_section(out, "groups whose fastest layout is predicted wrongly", wrong_group_rows(tables));
}

}  // namespace spillway
