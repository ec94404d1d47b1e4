// The options of `spillway sweep` and of its subcommands export, merge and plot.
#pragma once

#include <string>
#include <vector>

#include "api/sweep.h"

namespace spillway {

struct SweepOptions {
  SweepArguments arguments;
  bool quiet = false;
};
int run_sweep(const SweepOptions& options);

struct SweepExportArguments {
  std::string store;
  std::string format = "csv";
};
int sweep_export(const SweepExportArguments& arguments);

struct SweepMergeArguments {
  std::string out;
  std::vector<std::string> stores;
};
int sweep_merge(const SweepMergeArguments& arguments);

struct SweepPlotArguments {
  std::string store;
  std::string x;       // JSON pointers of axes
  std::string y;       // empty: lines, otherwise a heat map
  std::string series;  // empty: a line for each schedule
  std::string metric;  // a column of the export; empty: the speedup
  std::vector<std::string> schedules;
  std::vector<std::string> at;  // /pointer=value of the other axes
  std::string out;              // .svg or .png
};
int sweep_plot(const SweepPlotArguments& arguments);

}  // namespace spillway
