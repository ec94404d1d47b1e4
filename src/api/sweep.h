// `spillway sweep`: the points of a grid into a store, on this machine or on the ranks of an MPI job.
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
  unsigned jobs = 0;     // threads or processes at once; 0: one for each core, on ranks one
  bool resume = false;
  std::string shard = {};  // i/n; empty: all points
};

// Of the shard's points.
struct SweepEnd {
  std::size_t computed = 0;  // now
  std::size_t done = 0;
  std::size_t points = 0;
  bool interrupted = false;  // by a signal: what is done is kept
};

struct SweepAnswer {
  SweepFile file;
  ResultStore store;
  SweepEnd end;
};

// `job`: null for this machine alone, else rank 0's. One at a time in a process.
SweepAnswer sweep(const SweepArguments& arguments, RankedJob* job, const OnPoints& on_points = {});

// The part of another rank.
void follow_sweep(RankedJob& job, const SweepArguments& arguments);

}  // namespace spillway
