// `spillway sweep`: evaluates the points of a grid into a store, on this machine or on the ranks of an MPI
// job.
#pragma once

#include <cstddef>
#include <string>

#include "api/long_runs.h"
#include "json/source.h"
#include "sweep/grid/file.h"
#include "sweep/run/ranks.h"
#include "sweep/store/result_store.h"

namespace spillway {

struct SweepArguments {
  Source source = "";
  std::string out = {};  // the store; empty: named after the file, in the current folder
  unsigned jobs = 0;     // threads or processes at once; 0: one per core, on ranks one
  bool resume = false;
  std::string shard = {};  // "i/n"; empty: all points
};

// Numbers of points of the shard.
struct SweepEnd {
  std::size_t computed = 0;  // by this run
  std::size_t done = 0;
  std::size_t points = 0;
  bool interrupted = false;  // by a signal; finished points are kept
};

struct SweepAnswer {
  SweepFile file;
  ResultStore store;
  SweepEnd end;
};

// `job` is null for this machine alone, otherwise rank 0's job. A process runs one at a time.
SweepAnswer sweep(const SweepArguments& arguments, RankedJob* job, const OnPoints& on_points = {});

// Runs the part of another rank.
void follow_sweep(RankedJob& job, const SweepArguments& arguments);

}  // namespace spillway
