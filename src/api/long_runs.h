// What commands that compute many points share: their workers, their store, and how they end early.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sweep/run/ranks.h"
#include "sweep/run/workers.h"
#include "sweep/store/result_store.h"

namespace spillway {

// How much is done, of all; told once at the start, with what was done before.
using OnPoints = std::function<void(std::size_t done, std::size_t total)>;

// As many as are asked for; for 0 one for each core, on ranks one.
unsigned threads_of(unsigned asked, bool ranked);

// A rank other than the first reads what that one reads, computes what it is told, and says nothing: what
// `prepare` cannot read is said by the first, which as a rule cannot either. How the job ended is the first
// one's to say, too: another status than 0 would have the launcher end that one in the middle of a word.
void follow(RankedJob& ranks, unsigned jobs, const std::function<Compute()>& prepare);

// A new store, or with `resume` the one that there is. Throws InputError where there is a file and it is not
// to be gone on with, or is of something else.
ResultStore store_at(const std::string& path, bool resume, const SweepHeading& heading,
                     const std::vector<GridPoint>& grid);

}  // namespace spillway
