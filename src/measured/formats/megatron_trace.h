// Traces of Megatron's pipeline as MegatronApp writes them: a bare array of B and E events "forward" and
// "backward", one process per pipeline rank, microseconds; the E's args hold microbatch, model_chunk and
// pp_rank. Format: https://github.com/OpenSQZ/MegatronApp, its sample of PP4 with 4 chunks. Private to
// src/measured.
#pragma once

#include <string>

#include "measured/trace/trace.h"

namespace spillway {

// Stage = chunk * ranks + rank, as Megatron interleaves; ranks are those that the file holds, from 0, and a
// number missing between them is noted. One step per iteration. Iteration marks and gradient reduction have
// no duration in the file: they are dropped, counted.
Trace read_megatron_trace(const std::string& path);

}  // namespace spillway
