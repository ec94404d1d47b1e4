// Draws time against cost of a job's layouts.
#pragma once

#include "search/search.h"
#include "sweep/plot/scatter.h"

namespace spillway {

// Shows every evaluated layout that fits, with a colour for each cluster. Of the best layouts on each number
// of a cluster's devices, a line joins those that no other beats in both time and cost. The values are for
// the whole training, or for a step if the job states no tokens. Cost is in USD, or in device-hours if a
// cluster has no price; the caption says so. Contract: the search has a plan.
Scatter pareto_picture(const PlanJob& job, const SearchResult& result);

}  // namespace spillway
