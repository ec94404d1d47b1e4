#include "report/inputs/overlap_table.h"

#include <fmt/format.h>

#include <vector>

#include "words/table.h"

namespace spillway {
namespace {

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
          communicates ? fmt::format("{:.1f} %", 100 * overlap.hidden()) : "-"};
}

}  // namespace

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
