// Says what a job does and how it is parallel, by its collectives. Private to src/traces.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/profile/job_profile.h"

namespace spillway {

// Returns what is known of "job", "parallelism" and "pipeline". `pipeline_groups`: of each file, the ranks of
// the process group that is named after the pipeline; empty if it names none. It reads job.ranks and
// job.processes.
std::vector<Inferred> about_job(const JobProfile& job,
                                const std::vector<std::vector<std::uint16_t>>& pipeline_groups);

}  // namespace spillway
