// Keeps a job's evaluated layouts in a store, so that an interrupted plan can continue.
#pragma once

#include "search/search.h"
#include "sweep/store/result_store.h"

namespace spillway {

// The store has no grid. A layout's key is its index in searched_layouts(job). Layouts left out by bounds are
// not stored.
SweepHeading store_heading(const PlanJob& job);

// Calls `compute` for layouts that are not in the store, and stores their outcomes as they come.
ComputeRound kept_in(ResultStore& store, ComputeRound compute);

}  // namespace spillway
