// The workers and the store of commands that compute many points, and their early end.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sweep/run/ranks.h"
#include "sweep/run/workers.h"
#include "sweep/store/result_store.h"

namespace spillway {

// Called with the numbers of finished and of all points. The first call includes points that were finished
// before.
using OnPoints = std::function<void(std::size_t done, std::size_t total)>;

// Returns `asked`. For 0 it returns one per core, or one on ranks.
unsigned threads_of(unsigned asked, bool ranked);

// Runs a rank other than rank 0. It reads the same input, computes the points that it gets, and prints
// nothing. If `prepare` throws, rank 0 reports the error, since rank 0 normally fails the same way. The rank
// ends with status 0, because another status would make the launcher end rank 0 while it prints.
void follow(RankedJob& ranks, unsigned jobs, const std::function<Compute()>& prepare);

// Makes a new store, or with `resume` opens an existing one. Throws InputError if the file exists without
// `resume`, or belongs to another sweep or job.
ResultStore store_at(const std::string& path, bool resume, const SweepHeading& heading,
                     const std::vector<GridPoint>& grid);

}  // namespace spillway
