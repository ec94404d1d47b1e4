// The traces of ByteDance's straggler analysis (github.com/ByteDance-Seed/StragglerAnalysis): a row for each
// operation of a rank, times in seconds from the start of its step.
#pragma once

#include <string>

#include "measured/trace/trace.h"

namespace spillway {

// Columns dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc in any order; `stage` is the
// rank in the pipeline, `rank` the global one, -1 stands for nothing. Rows come in any order. Transfers name
// no microbatch: the seq_id'th of its kind on a rank is taken for microbatch seq_id, which holds where ranks
// have one chunk of the model. Types that are not known are kept as Host and counted; rows with a negative
// duration or without finite times are dropped and counted. Throws InputError with the lines of broken rows:
// fields missing, no numbers, two global ranks in one place.
Trace read_straggler_csv(const std::string& path);

}  // namespace spillway
