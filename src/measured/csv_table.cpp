#include "measured/csv_table.h"

#include <algorithm>

#include "measured/plain_text.h"

namespace spillway {
namespace {

constexpr std::size_t kMostViolations = 20;

bool is_comment(std::string_view line) {
  return line.starts_with('#');
}

std::string comment_text(std::string_view line) {
  line.remove_prefix(line.starts_with("# ") ? 2 : 1);
  return std::string(line);
}

}  // namespace

CsvTable::CsvTable(const std::string& path, std::span<const std::string_view> columns)
    : lines_(path), names_(columns.begin(), columns.end()) {
  while (const auto line = lines_.next()) {
    if (is_comment(*line)) {
      comments_.push_back(comment_text(*line));
      continue;
    }
    split_csv(*line, fields_);
    if (fields_.size() == 1 && fields_[0].empty()) continue;
    read_header(columns);
    return;
  }
  throw InputError({{path, "/", "a header and rows below it", "the end of the file"}});
}

void CsvTable::read_header(std::span<const std::string_view> columns) {
  width_ = fields_.size();
  for (const std::string_view column : columns) {
    const auto found = std::find(fields_.begin(), fields_.end(), column);
    places_.push_back(static_cast<std::size_t>(found - fields_.begin()));
    if (found == fields_.end()) refuse("a column " + quoted(column), "none of that name");
  }
  throw_if_any();
}

bool CsvTable::next() {
  while (const auto line = lines_.next()) {
    if (line->empty() || is_comment(*line)) continue;
    split_csv(*line, fields_);
    if (fields_.size() == width_) return true;
    if (fields_.size() > 1 || !fields_[0].empty())
      refuse(std::to_string(width_) + " fields, as in the header", std::to_string(fields_.size()));
  }
  return false;
}

void CsvTable::refuse(std::size_t column, std::string_view expected) {
  refuse(std::string(expected) + " in " + std::string(names_[column]), quoted(text(column)));
}

void CsvTable::refuse(std::string expected, std::string found) {
  if (violations_.size() < kMostViolations) {
    violations_.push_back({path(), lines_.place(), std::move(expected), std::move(found)});
  } else {
    ++beyond_;
  }
}

void CsvTable::throw_if_any() const {
  if (violations_.empty()) return;
  auto all = violations_;
  if (beyond_ > 0)
    all.push_back({path(), "/", "no more of these", "and " + std::to_string(beyond_) + " more"});
  throw InputError(std::move(all));
}

}  // namespace spillway
