// The commands, one file each. Each returns the process's exit status and throws InputError, Infeasible or
// ContractBreach, which main turns into messages on standard error and exit status 2, 3 or 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// What `run`, `derive` and `explain` share: an experiment file, or none where there is a trace, and changes
// to it.
struct ExperimentArguments {
  std::string file;
  std::vector<std::string> sets;  // /pointer=value
  std::string order;              // CSV file of one more schedule; empty: none
  std::string workload;           // trace to make the experiment from, `file` laid over it; empty: none
};

struct RunArguments {
  ExperimentArguments experiment;
  std::vector<std::string> engines;
  std::optional<std::uint32_t> draws;
  std::optional<std::uint64_t> seed;
  bool json = false;
  std::string out;  // folder for report.json and one trace per schedule; empty: none
  bool quiet = false;
};
int run(const RunArguments& arguments);

struct DeriveArguments {
  ExperimentArguments experiment;
  std::string schedule;  // empty: the first
  std::string format = "text";
};
int derive_command(const DeriveArguments& arguments);

struct ExplainArguments {
  ExperimentArguments experiment;
  std::string schedule;  // empty: all
};
int explain(const ExplainArguments& arguments);

struct ImagesArguments {
  std::string trace;
  std::string rule = "qwen2-vl";
  bool json = false;
};
int images(const ImagesArguments& arguments);

struct ValidateArguments {
  std::string file;                  // a table of measured steps, or a trace
  std::vector<std::string> engines;  // of a table
  std::string experiment;            // file of what a trace is held against; empty: none
  std::string platform;              // file that replaces the experiment's; empty: none
  bool json = false;
};
int validate(const ValidateArguments& arguments);

// Without a platform the one file is a table of measured steps.
struct CalibrateArguments {
  std::vector<std::string> files;  // of measurements
  std::vector<std::string> engines;
  std::string platform;              // to start from
  std::string out;                   // where the fitted one is written; empty: nowhere
  std::string source;                // of the measurements, for the platform file; empty: not said
  std::vector<std::string> against;  // measurements that the fitted one is held against
};
int calibrate_command(const CalibrateArguments& arguments);

struct ImportArguments {
  std::string trace;               // file or folder
  std::vector<std::string> steps;  // names; none: all
  std::string out;                 // compact CSV; empty: none
  bool json = false;
};
int import_command(const ImportArguments& arguments);

struct SweepArguments {
  std::string file;
  std::string out;    // the store; empty: named after the file, in the current folder
  unsigned jobs = 0;  // threads or processes at once; 0: one for each core, under mpirun one
  bool resume = false;
  std::string shard;  // i/n; empty: all points
  bool quiet = false;
};
int sweep(const SweepArguments& arguments);

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
  std::string y;       // empty: lines instead of a heat map
  std::string series;  // empty: a line for each schedule
  std::string metric;  // a column of the export; empty: the speedup
  std::vector<std::string> schedules;
  std::vector<std::string> at;  // /pointer=value of the other axes
  std::string out;              // .svg or .png
};
int sweep_plot(const SweepPlotArguments& arguments);

int schema(const std::string& kind);

}  // namespace spillway
