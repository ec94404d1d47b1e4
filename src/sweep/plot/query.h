// What picture of a sweep is wanted, as it is asked for and as the sweep has it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sweep/table/column.h"

namespace spillway {

struct PictureSize {
  unsigned width = 900;  // pixels
  unsigned height = 600;
};

// Axes by their pointers. With `y` a heat map of one schedule; with `series` a line for each of its values,
// of one schedule; with neither a line for each schedule.
struct PlotRequest {
  std::string x = {};  // may be left out where the sweep has one axis
  std::string y = {};
  std::string series = {};
  std::string metric = "speedup_mean";      // column of a figure
  std::vector<std::string> schedules = {};  // empty: all; of one schedule: the first ranked but the baseline
  // Pointers and values: points with other values are left out.
  std::vector<std::pair<std::string, std::string>> at = {};
  std::filesystem::path output = {};  // .svg or .png
  PictureSize size = {};
};

struct PlotQuery {
  std::size_t x;
  std::optional<std::size_t> second;  // axis of y or series
  bool heat_map;
  SweepFigure metric;
  std::vector<std::pair<std::size_t, std::string>> at;  // axis and value
  std::vector<std::string> schedules;

  bool of_one_schedule() const { return second.has_value(); }
};

// Throws InputError with every part that does not fit, by its option on the command line: --x, --y, --series,
// --metric, --at, --schedule, --out.
PlotQuery plot_query(const SweepHeading& heading, const PlotRequest& request);

// Of an option of the command line.
Violation wrong_option(const std::string& option, const std::string& expected, const std::string& found);

// "FIRST, SECOND, ...": at most eight of them.
std::string listed(const std::vector<std::string>& words);

}  // namespace spillway
