// Which cells of a sweep's grid are points, and which of these SimGrid runs, too. Private to src/sweep/grid.
#pragma once

#include <cstddef>
#include <vector>

#include "json/place.h"
#include "sweep/grid/axes.h"
#include "sweep/grid/base.h"

namespace spillway {

// Those of `cells`, in order, that meet the list of constraints at `place`. That none does is a violation.
std::vector<std::size_t> read_cells(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                    const std::vector<std::size_t>& cells);

// Those that { "sample": N } or { "where": constraints } chooses: a sample of N, each cell as likely as any
// other, follows from the sweep's seed. All of them where N is more.
std::vector<std::size_t> read_replays(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                      const std::vector<std::size_t>& cells);

}  // namespace spillway
