// The request for a picture of a sweep, as the user states it and as the sweep resolves it.
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
  unsigned width = 900;  // in pixels
  unsigned height = 600;
};

// Names axes by their pointers. With `y`: a heat map of one schedule. With `series`: a line for each value of
// that axis, of one schedule. Otherwise: a line for each schedule.
struct PlotRequest {
  std::string x = {};  // optional if the sweep has one axis
  std::string y = {};
  std::string series = {};
  std::string metric = "speedup_mean";      // column of the figure
  std::vector<std::string> schedules = {};  // empty: all, or the first ranked one but the baseline
  // Pointers and values. Points with other values are left out.
  std::vector<std::pair<std::string, std::string>> at = {};
  std::filesystem::path output = {};  // .svg or .png
  PictureSize size = {};
};

struct PlotQuery {
  std::size_t x;
  std::optional<std::size_t> second;  // the axis of y or series
  bool heat_map;
  SweepFigure metric;
  std::vector<std::pair<std::size_t, std::string>> at;  // axis and value
  std::vector<std::string> schedules;

  bool of_one_schedule() const { return second.has_value(); }
};

// Throws InputError with every part that does not fit, by its command-line option: --x, --y, --series,
// --metric, --at, --schedule, --out.
PlotQuery plot_query(const SweepHeading& heading, const PlotRequest& request);

// A violation of a command-line option.
Violation wrong_option(const std::string& option, const std::string& expected, const std::string& found);

// Returns "FIRST, SECOND, ..." with at most eight words.
std::string listed(const std::vector<std::string>& words);

}  // namespace spillway
