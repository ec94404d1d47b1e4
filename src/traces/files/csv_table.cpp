#include "traces/files/csv_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/csv.h"
#include "base/printable.h"

namespace spillway {
namespace {

std::string comment_text(std::string_view line) {
  line.remove_prefix(line.starts_with("# ") ? 2 : 1);
  return std::string(line);
}

}  // namespace

CsvTable::CsvTable(const std::string& path, std::span<const std::string_view> columns)
    : lines_(path), refused_(path, kMostRefused) {
  while (const auto line = lines_.next()) {
    if (is_csv_comment(*line)) {
      comments_.push_back(comment_text(*line));
      continue;
    }
    split_csv(*line, fields_);
    if (fields_.size() == 1 && fields_[0].empty()) continue;
    header_ = *line;
    names_.assign(fields_.begin(), fields_.end());
    for (const std::string_view column : columns) require(column);
    throw_if_any();
    return;
  }
  throw InputError({{path, "/", "a header and rows below it", "the end of the file"}});
}

void CsvTable::require(std::string_view column) {
  if (!find(column)) refuse("a column " + in_quotes(column), "none of that name");
}

std::optional<std::size_t> CsvTable::find(std::string_view name) {
  return find_if([&](std::string_view one) { return one == name; });
}

std::optional<std::size_t> CsvTable::find_if(const std::function<bool(std::string_view name)>& will_do) {
  const auto found = std::find_if(names_.begin(), names_.end(), will_do);
  if (found == names_.end()) return std::nullopt;
  places_.push_back(static_cast<std::size_t>(found - names_.begin()));
  return places_.size() - 1;
}

bool CsvTable::next() {
  while (const auto line = lines_.next()) {
    if (line->empty() || is_csv_comment(*line)) continue;
    split_csv(*line, fields_);
    if (fields_.size() == names_.size()) return true;
    if (fields_.size() > 1 || !fields_[0].empty())
      refuse(std::to_string(names_.size()) + " fields, as in the header", std::to_string(fields_.size()));
  }
  return false;
}

void CsvTable::require_end() {
  if (!lines_.ended()) refuse("an end of the last line", "the end of the file, which was cut");
}

std::optional<double> CsvTable::whole_number(std::size_t column, double least, double most,
                                             std::string_view expected) {
  const auto value = number_from<double>(text(column));
  if (value && *value >= least && *value <= most && std::floor(*value) == *value) return value;
  refuse(column, expected);
  return std::nullopt;
}

std::optional<std::uint32_t> CsvTable::count(std::size_t column) {
  const auto value = whole_number(column, 0, std::numeric_limits<std::uint32_t>::max(), "a whole number");
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

void CsvTable::refuse(std::size_t column, std::string_view expected) {
  refuse(std::string(expected) + " in " + names_[places_[column]], in_quotes(text(column)));
}

void CsvTable::refuse(std::string expected, std::string found) {
  refused_.add(lines_.place(), std::move(expected), std::move(found));
}

}  // namespace spillway
