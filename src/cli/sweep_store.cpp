// Exports, merges and draws the results in a sweep's store.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/sweep_options.h"
#include "report/page/html.h"
#include "sweep/plot/description.h"
#include "sweep/plot/plot.h"
#include "sweep/store/result_store.h"
#include "sweep/table/export.h"
#include "sweep/table/summary.h"

namespace spillway {
namespace {

void warn_of_missing(std::size_t missing, const std::string& store) {
  if (missing > 0)
    std::cerr << store << ": " << missing << " points are not computed yet and are left out; compute them "
              << "with spillway sweep --resume\n";
}

std::vector<std::pair<std::string, std::string>> fixed_values(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& text : texts) {
    const Setting setting = setting_from("--at", text);
    values.emplace_back(setting.pointer, setting.value);
  }
  return values;
}

// The browser also holds all rows of a page at once.
constexpr std::size_t kPageRows = 20'000;
constexpr std::size_t kOneLine = 100'000;  // columns; a page breaks lines itself

std::size_t rows_of(const ResultStore& store) {
  std::size_t rows = 0;
  store.for_each([&](const GridPoint&, const std::optional<PointOutcome>& outcome) {
    if (outcome) rows += std::max<std::size_t>(1, outcome->schedules.size());
  });
  return rows;
}

void export_page(const ResultStore& store) {
  if (!has_page())
    refuse_argument("--format",
                    "csv, json or columns (this program was built without esbuild and D3, which html needs)",
                    "\"html\"");
  if (const std::size_t rows = rows_of(store); rows > kPageRows)
    refuse_argument("--format",
                    "csv or json (an html page shows " + std::to_string(kPageRows) + " rows at most)",
                    "\"html\" of " + std::to_string(rows) + " rows");
  std::ostringstream document;
  SweepExport rows(document, store.heading(), SweepFormat::Json);
  SweepSummary summary(store.heading());
  SweepDescription description(store.heading());
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    rows.add(point.values, pointer_to(outcome));
    summary.add(point.values, pointer_to(outcome));
    description.add(point.values, pointer_to(outcome));
  });
  warn_of_missing(rows.finish(), store.path());
  write_page(std::cout, page_of("sweep", summary.text(kOneLine), document.str(), description.json()));
}

}  // namespace

int sweep_export(const SweepExportArguments& arguments) {
  const bool json = arguments.format == "json", page = arguments.format == "html";
  if (!json && !page && arguments.format != "csv" && arguments.format != "columns")
    refuse_argument("--format", "csv, json, html or columns", '"' + arguments.format + '"');
  const ResultStore store = ResultStore::open_to_read(arguments.store);
  if (arguments.format == "columns") {
    write_sweep_dictionary(std::cout, store.heading());
    return 0;
  }
  if (page) {
    export_page(store);
    return 0;
  }
  // Finds damage before anything is printed.
  store.for_each([](const GridPoint&, const std::optional<PointOutcome>&) {});
  SweepExport rows(std::cout, store.heading(), json ? SweepFormat::Json : SweepFormat::Csv);
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    rows.add(point.values, pointer_to(outcome));
  });
  warn_of_missing(rows.finish(), store.path());
  return 0;
}

int sweep_merge(const SweepMergeArguments& arguments) {
  ResultStore::join(arguments.out, arguments.stores);
  return 0;
}

int sweep_plot(const SweepPlotArguments& arguments) {
  const ResultStore store = ResultStore::open_to_read(arguments.store);
  PlotRequest request{.x = arguments.x,
                      .y = arguments.y,
                      .series = arguments.series,
                      .schedules = arguments.schedules,
                      .at = fixed_values(arguments.at),
                      .output = arguments.out};
  if (!arguments.metric.empty()) request.metric = arguments.metric;
  SweepPlot plot(store.heading(), std::move(request));
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    plot.add(point.values, pointer_to(outcome));
  });
  plot.write();
  return 0;
}

}  // namespace spillway
