// The experiment of a sweep before any axis, and the places of its parts in the sweep file. Private to
// src/sweep/grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/place.h"

namespace spillway {

// A place of the experiment that the sweep sets.
struct SetPlace {
  std::string pointer;  // into the experiment
  std::string place;    // pointer to its value in the sweep file
};

struct SweepBase {
  Node written;                // as the experiment's file, or the sweep, has it
  Node document;               // with the values that the sweep itself sets
  std::string file;            // paths in the experiment are relative to it
  bool named;                  // true if the experiment has a file of its own
  std::vector<SetPlace> sets;  // in the order in which they are set
  std::uint32_t draws;
  std::uint64_t seed;
};

// Reads "experiment", "set", "draws" and "seed" of the sweep in `fields`. Returns nothing after a violation.
std::optional<SweepBase> read_sweep_base(const Fields& fields);

// Translates a violation of an experiment made from the base into places of the sweep file `path`. The last
// of `sets` that covers the place gives the new place; without one it is in the experiment.
Violation relocated(Violation violation, const SweepBase& base, const std::vector<SetPlace>& sets,
                    const std::string& path);

}  // namespace spillway
