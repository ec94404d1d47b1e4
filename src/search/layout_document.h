// Experiments as documents, as a job has them. Private to src/search.
#pragma once

#include "json/node.h"
#include "search/layout.h"

namespace spillway {

// Of the job's and a cluster's parts of a document.
Node experiment_document(const Object& job, const Object& cluster, const PlanLayout& layout,
                         const ScheduleChoice& schedule);

}  // namespace spillway
