// Chooses the cells of a sweep's grid that are points, and the points that SimGrid runs, too. Private to
// src/sweep/grid.
#pragma once

#include <cstddef>
#include <vector>

#include "json/place.h"
#include "sweep/grid/axes.h"
#include "sweep/grid/base.h"

namespace spillway {

// Returns the `cells` that meet the constraints at `place`, in order. It is a violation if none does.
std::vector<std::size_t> read_cells(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                    const std::vector<std::size_t>& cells);

// Returns the cells that { "sample": N } or { "where": constraints } chooses. A sample takes each cell with
// equal probability and follows from the sweep's seed. It has all cells if there are at most N.
std::vector<std::size_t> read_replays(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                      const std::vector<std::size_t>& cells);

}  // namespace spillway
