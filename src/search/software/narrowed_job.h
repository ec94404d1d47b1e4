// Narrows a job to one framework. Private to src/search.
#pragma once

#include <string>

#include "search/job.h"

namespace spillway {

// Returns the job with the clusters that run this framework. Throws InputError, which names the frameworks of
// its clusters, if none does.
PlanJob narrowed_to(PlanJob job, const std::string& framework);

}  // namespace spillway
