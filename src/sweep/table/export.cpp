#include "sweep/table/export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/csv.h"
#include "json/dumped.h"
#include "sweep/table/axis.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

std::string number_or(const std::optional<double>& figure, const char* none) {
  return figure ? fmt::format("{}", *figure) : none;
}

std::string truth_or(const std::optional<bool>& truth, const char* none) {
  return truth ? (*truth ? "true" : "false") : none;
}

std::string evidence_of(const SweepRow& row) {
  return row.evidence ? to_string(*row.evidence) : "";
}

// The document up to the bracket that opens its rows.
std::string json_head(const SweepHeading& heading, const std::vector<SweepColumn>& columns) {
  Json described = Json::array();
  for (const SweepColumn& column : columns)
    described.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  const Json head = {{"schema", "spillway/sweep-results/1"},
                     {"name", heading.name},
                     {"identity", heading.identity},
                     {"program", heading.program},
                     {"draws", heading.draws},
                     {"seed", heading.seed},
                     {"engine", heading.reports_replays ? "simgrid" : "longest-path"},
                     {"axes", heading.axes},
                     {"columns", described}};
  std::string text = dumped(head, 1);
  text.resize(text.size() - 2);  // a line break and the closing brace
  return text + ",\n \"rows\": [";
}

}  // namespace

SweepExport::SweepExport(std::ostream& out, SweepHeading heading, SweepFormat format)
    : out_(out), heading_(std::move(heading)), format_(format) {
  const std::vector<SweepColumn> columns = sweep_columns(heading_);
  for (const SweepColumn& column : columns) keys_.push_back(dumped(column.name));
  if (format_ == SweepFormat::Json) {
    out_ << json_head(heading_, columns);
    return;
  }
  const char* separator = "";
  for (const SweepColumn& column : columns) out_ << std::exchange(separator, ",") << csv_field(column.name);
  out_ << '\n';
}

void SweepExport::add(const std::vector<std::string>& values, const PointOutcome* outcome) {
  if (!outcome) {
    ++missing_;
    return;
  }
  for (const SweepRow& row : sweep_rows(heading_, values, *outcome))
    format_ == SweepFormat::Csv ? add_csv(row) : add_json(row);
}

void SweepExport::add_csv(const SweepRow& row) {
  std::string line;
  for (const std::string& value : row.values) line += csv_field(axis_text(value)) + ',';
  line += csv_field(row.schedule) + ',';
  for (const std::optional<double>& figure : row.figures) line += number_or(figure, "") + ',';
  out_ << line << truth_or(row.fits, "") << ',' << evidence_of(row) << ',' << csv_field(row.unranked) << ','
       << csv_field(row.refusal) << '\n';
}

void SweepExport::add_json(const SweepRow& row) {
  std::string line = any_ ? ",\n  { " : "\n  { ";
  auto key = keys_.begin();
  const auto member = [&](const std::string& value) {
    if (key != keys_.begin()) line += ", ";
    line += *key++ + ": " + value;
  };
  for (const std::string& value : row.values) member(value);
  member(row.schedule.empty() ? "null" : dumped(row.schedule));
  for (const std::optional<double>& figure : row.figures) member(number_or(figure, "null"));
  member(truth_or(row.fits, "null"));
  member(row.evidence ? dumped(evidence_of(row)) : "null");
  member(row.unranked.empty() ? "null" : dumped(row.unranked));
  member(row.refusal.empty() ? "null" : dumped(row.refusal));
  out_ << line << " }";
  any_ = true;
}

std::size_t SweepExport::finish() {
  if (format_ == SweepFormat::Json) out_ << "\n ],\n \"missing_points\": " << missing_ << "\n}\n";
  return missing_;
}

}  // namespace spillway
