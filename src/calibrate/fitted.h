// Parameters of a platform that were fitted to measurements, and parameters that the measurements do not
// determine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error_summary.h"
#include "platform/platform.h"
#include "traces/files/note.h"

namespace spillway {

// A number in the unit of its key in a platform file (latency_us: microseconds).
struct FittedNumber {
  std::string pointer;  // into the platform file, "/tiers/0/latency_us"
  double value;
  double low;  // 95 % interval
  double high;
  std::size_t points;  // number of measurements in the fit
  std::string source;  // of the measurements
};

// A curve of times by size, for the list of a tier. It replaces a curve of the same operation and group.
struct FittedSweep {
  std::size_t tier;
  MeasuredCollective sweep;
};

// A table of measured operators for the accelerator. It replaces tables that hold only kinds of operators
// that it holds, too.
struct MeasuredTable {
  std::string file;  // as described in input/platform/operator_table.h
  std::string source;
};

// The errors of the fit on measurements that it did not use.
struct HeldBackError : ErrorSummary {
  std::string what;  // "all-reduce, 8 devices, 2 kB to 512 MB"
};

// The errors of a platform's prices on measurements of others.
struct ErrorsAgainst {
  std::string source;
  std::vector<HeldBackError> errors;
};

// A parameter that the data do not determine, and why: "/tiers/0/bandwidth_gbps", "all sizes are below 4 kB,
// where ...".
struct Undetermined {
  std::string pointer;
  std::string why;
};

struct Fits {
  std::vector<FittedNumber> numbers;
  std::vector<FittedSweep> sweeps = {};
  std::vector<HeldBackError> held_back;
  std::vector<Undetermined> undetermined;
  std::vector<Note> notes;
  std::vector<MeasuredTable> tables = {};
};

// Joins all parts in order. Throws InputError if two parts give the same number of the platform.
Fits merged(const std::vector<Fits>& parts);

}  // namespace spillway
