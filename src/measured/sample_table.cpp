#include "measured/sample_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillway {

SampleTable::SampleTable(const std::string& path) : lines_(path) {
  while (const auto line = lines_.next()) {
    if (line->starts_with('#')) comments_.emplace_back(line->substr(1));
    if (line->empty() || line->starts_with('#')) continue;
    split_csv(*line, fields_);
    columns_.assign(fields_.begin(), fields_.end());
    return;
  }
  throw InputError({{path, "/", "a header line", "none"}});
}

std::optional<std::size_t> SampleTable::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::vector<std::size_t> SampleTable::columns(std::initializer_list<std::string_view> names) const {
  std::vector<std::size_t> found;
  std::vector<Violation> violations;
  for (const std::string_view name : names) {
    if (const auto index = column(name)) {
      found.push_back(*index);
    } else {
      violations.push_back({lines_.path(), "line 1", "a column " + std::string(name), "none"});
    }
  }
  if (!violations.empty()) throw InputError(std::move(violations));
  return found;
}

bool SampleTable::next(MessageRows& rows) {
  while (const auto line = lines_.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    split_csv(*line, fields_);
    if (fields_.size() == columns_.size()) return true;
    rows.refuse(place(), std::to_string(columns_.size()) + " fields", std::to_string(fields_.size()));
  }
  return false;
}

std::optional<double> SampleTable::number(std::size_t column, MessageRows& rows) const {
  const std::optional<double> value = parse_number(text(column));
  if (!value) rows.refuse(place(), "a number in " + columns_[column], '"' + std::string(text(column)) + '"');
  return value;
}

std::optional<std::uint32_t> SampleTable::count(std::size_t column, MessageRows& rows) const {
  const std::optional<double> value = parse_number(text(column));
  if (value && *value >= 0 && *value <= std::numeric_limits<std::uint32_t>::max() &&
      std::floor(*value) == *value)
    return static_cast<std::uint32_t>(*value);
  rows.refuse(place(), "a whole number in " + columns_[column], '"' + std::string(text(column)) + '"');
  return std::nullopt;
}

}  // namespace spillway
