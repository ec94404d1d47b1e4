// Experiments as documents, as a job has them. Private to src/plan.
#pragma once

#include "plan/layout.h"
#include "spec/json/node.h"

namespace spillway {

// Of the job's and a cluster's parts of a document.
Node experiment_document(const Object& job, const Object& cluster, const PlanLayout& layout,
                         const ScheduleChoice& schedule);

}  // namespace spillway
