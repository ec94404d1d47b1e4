// A job's evaluated layouts in a store, so that a plan that was ended early can be gone on with.
#pragma once

#include "search/search.h"
#include "sweep/store/result_store.h"

namespace spillway {

// No grid: a layout's key is its place among legal_layouts(job), and those that bounds leave out are not
// kept.
SweepHeading store_heading(const PlanJob& job);

// `compute` for those layouts that the store has none of, which are put into it as they come.
ComputeRound kept_in(ResultStore& store, ComputeRound compute);

}  // namespace spillway
