// Refuses steps of a trace that lack a pass. A file that was cut has such a step.
#pragma once

#include <optional>
#include <string>

#include "traces/events/trace.h"

namespace spillway {

// Throws InputError that names the first pass that a step lacks, and counts all. A pass is known to be
// missing if another step has it, or if its microbatch has the other direction in that stage and other
// microbatches there have both. Passes without a number are not missed. If the trace's notes count as many
// events without usable times, these may be the missing ones: a sentence without a full stop then says so.
std::optional<std::string> require_whole_steps(const Trace& trace);

}  // namespace spillway
