// The experiment of a sweep before any axis, and where in the sweep file its parts stand. Private to
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
  std::string place;    // of its value in the sweep file
};

struct SweepBase {
  Node written;                // as its file, or the sweep, has it
  Node document;               // with the sweep's own values set
  std::string file;            // what paths in it are relative to
  bool named;                  // it has a file of its own
  std::vector<SetPlace> sets;  // in the order they were made
  std::uint32_t draws;
  std::uint64_t seed;
};

// Of the sweep in `fields`: "experiment", "set", "draws" and "seed". Nothing where something is wrong.
std::optional<SweepBase> read_sweep_base(const Fields& fields);

// A violation of an experiment made from the base, seen from the sweep file `path`: at what the last one of
// `sets` around it sets, else in the experiment.
Violation relocated(Violation violation, const SweepBase& base, const std::vector<SetPlace>& sets,
                    const std::string& path);

}  // namespace spillway
