// Narrows a job to one framework, and widens it again.
#pragma once

#include <string>

#include "search/job.h"

namespace spillway {

// Returns the job with the clusters that run this framework. Throws InputError, which names the frameworks of
// its clusters, if none does.
PlanJob narrowed_to(PlanJob job, const std::string& framework);

// Returns the job with the other frameworks of its clusters again, behind all its clusters.
PlanJob with_other_frameworks(PlanJob job);

}  // namespace spillway
