// A profile of PyTorch without annotations as rows of measured passes.
#pragma once

#include "traces/profile/job_profile.h"
#include "twin/trace_rows.h"

namespace spillway {

// A pass lasts from its first to its last computing on the device, and so does the optimizer. Steps of
// warm-up, and a last step that is not whole, are left out. The notes say how forwards, backwards and the
// optimizer were found.
//
// With one pipeline rank all processes are repeats. Otherwise the profile is of one process, on a rank that
// is chosen. Where images are drawn, the passes of a step are one repeat of their mean. Throws InputError for
// other profiles, without a whole step or a backward, with more equal layers than the rank has, or with
// several stages on a rank.
TraceRows profile_rows(const JobProfile& job, const Experiment& experiment, const TraceChoice& choice);

}  // namespace spillway
