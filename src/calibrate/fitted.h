// Parameters of a platform fitted to measurements, and those that the measurements do not determine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error_summary.h"
#include "platform/platform.h"
#include "traces/files/note.h"

namespace spillway {

// In the unit of the key it stands for in a platform file (latency_us: microseconds).
struct FittedNumber {
  std::string pointer;  // into the platform file, "/tiers/0/latency_us"
  double value;
  double low;  // 95 % interval
  double high;
  std::size_t points;  // measurements it was fitted to
  std::string source;  // of these
};

// A curve of times by size, for the list of a tier: it takes the place of one with the same operation and
// group.
struct FittedSweep {
  std::size_t tier;
  MeasuredCollective sweep;
};

// A table of measured operators for the accelerator: it takes the place of those that hold nothing but
// operators of kinds that it holds too.
struct MeasuredTable {
  std::string file;  // as input/platform/operator_table.h has them
  std::string source;
};

// How far off the fit is on measurements that it did not see.
struct HeldBackError : ErrorSummary {
  std::string what;  // "all-reduce, 8 devices, 2 kB to 512 MB"
};

// How far a platform's prices are off on what others measured.
struct ErrorsAgainst {
  std::string source;
  std::vector<HeldBackError> errors;
};

// What the data cannot say, and why: "/tiers/0/bandwidth_gbps", "all sizes are below 4 kB, where ...".
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

// All of them, in order. Throws InputError where two give the same number of the platform.
Fits merged(const std::vector<Fits>& parts);

}  // namespace spillway
