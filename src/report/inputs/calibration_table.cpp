#include <fmt/format.h>

#include <vector>

#include "base/printable.h"
#include "platform/platform.h"
#include "report/inputs/calibration.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

void write_table(std::ostream& out, std::string_view title, const TableRows& rows) {
  if (rows.size() > 1) out << title << '\n' << table_text(rows) << '\n';
}

TableRows number_rows(const std::vector<FittedNumber>& numbers) {
  TableRows rows = {{"parameter", "value", "95 % from", "to", "points"}};
  for (const FittedNumber& number : numbers)
    rows.push_back({number.pointer, fmt::format("{:.5g}", number.value), fmt::format("{:.5g}", number.low),
                    fmt::format("{:.5g}", number.high), std::to_string(number.points)});
  return rows;
}

TableRows sweep_rows(const Platform& base, const std::vector<FittedSweep>& sweeps) {
  TableRows rows = {{"curve", "tier", "devices", "each", "segments", "bytes from", "to"}};
  for (const auto& [tier, sweep] : sweeps) {
    const auto& points = sweep.points.value;
    rows.push_back({std::string(word_for(sweep.operation)), base.tiers[tier].name,
                    std::to_string(sweep.devices), std::to_string(sweep.neighbours),
                    std::to_string(points.size() - 1), fmt::format("{:g}", points.front().first.value()),
                    fmt::format("{:g}", points.back().first.value())});
  }
  return rows;
}

TableRows held_back_rows(const std::vector<HeldBackError>& errors) {
  TableRows rows = {{"", "sizes", "mean absolute", "largest", "bias"}};
  for (const HeldBackError& one : errors)
    rows.push_back({one.what, std::to_string(one.count), percent(one.mean_absolute, 1),
                    percent(one.most_absolute, 1), signed_percent(one.bias, 1)});
  return rows;
}

void write_list(std::ostream& out, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out << title << '\n';
  for (const std::string& line : lines) out << wrapped("  - ", line, kTableColumns);
  out << '\n';
}

std::vector<std::string> row(std::string what, const Overlap& overlap) {
  const auto ms = [](Seconds time) { return fmt::format("{:.2f}", time / milliseconds(1)); };
  const bool communicates = overlap.communicating > Seconds();
  return {std::move(what),
          ms(overlap.forward),
          ms(overlap.backward),
          ms(overlap.together),
          fmt::format("{:.3f}", overlap.factor()),
          ms(overlap.computing),
          ms(overlap.communicating),
          communicates ? percent(overlap.hidden(), 1) : "-"};
}

}  // namespace

void write_fits(std::ostream& out, const Platform& base, const Fits& fits,
                const std::vector<ErrorsAgainst>& against) {
  const bool nothing = fits.numbers.empty() && fits.sweeps.empty() && fits.tables.empty();
  out << printable(base.name) << (nothing ? ", unchanged\n\n" : ", calibrated\n\n");
  write_table(out, "fitted", number_rows(fits.numbers));
  write_table(out, "fitted curves of time by size", sweep_rows(base, fits.sweeps));
  std::vector<std::string> unknown, notes, tables;
  for (const MeasuredTable& table : fits.tables) tables.push_back(table.file + ": " + table.source);
  for (const Undetermined& one : fits.undetermined) unknown.push_back(one.pointer + ": " + one.why);
  for (const Note& note : fits.notes) notes.push_back(to_string(note));
  write_list(out, "measured operators, which replace the platform's tables of the same kinds", tables);
  write_list(out, "not determined by these measurements, unchanged", unknown);
  write_table(out, "errors on measurements left out of the fit", held_back_rows(fits.held_back));
  for (const auto& [source, errors] : against) {
    const std::string title = "errors on " + source + ", by the evidence of each price";
    if (errors.empty())
      write_list(out, title, {"none: the platform prices none of these measurements"});
    else
      write_table(out, title, held_back_rows(errors));
  }
  write_list(out, "notes", notes);
}

void write_framework_fit(std::ostream& out, const FrameworkFit& fit) {
  TableRows rows = {{"of the framework", "value", "from", "to"}};
  std::vector<std::string> sources, unknown;
  const auto number = [](double value) { return fmt::format("{:.3g}", value); };
  for (const FrameworkFigure& figure : fit.figures) {
    const bool interval = figure.high > 0;
    rows.push_back({figure.pointer, number(figure.value), interval ? number(figure.low) : "",
                    interval ? number(figure.high) : ""});
    sources.push_back(figure.pointer + ": " + figure.source);
  }
  for (const auto& [pointer, why] : fit.undetermined) unknown.push_back(pointer + ": " + why);
  write_table(out, "determined by the run", rows);
  write_list(out, "sources", sources);
  write_list(out, "not determined, unchanged", unknown);
}

void write_overlap(std::ostream& out, const std::string& source, const OverlapReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"ms", "F", "B + W", "together", "factor", "computing", "communicating", "hidden"}};
  for (std::size_t layer = 0; layer < report.layers.size(); ++layer)
    rows.push_back(row("layer " + std::to_string(layer), report.layers[layer]));
  rows.push_back(row("all", report.whole));
  out << "forward and backward overlapped: " << source
      << "\n(factor: together / (F + B + W); hidden: share of communication that overlaps with computing)\n"
      << table_text(rows) << '\n';
}

}  // namespace spillway
