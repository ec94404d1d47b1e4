// Time against cost of a job's layouts, as a picture.
#pragma once

#include "search/search.h"
#include "sweep/plot/scatter.h"

namespace spillway {

// Every layout that was evaluated and fits, a colour for each cluster, those joined that none is both faster
// and cheaper than. Of the whole training, or where the job states no tokens of a step; in USD, or where a
// cluster has no price in device-hours, which is said. Contract: the search has a plan.
Scatter pareto_picture(const PlanJob& job, const SearchResult& result);

}  // namespace spillway
