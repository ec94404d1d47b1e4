// "This job, but ...": a measured pipeline as an experiment whose schedules, sizes and roles can be changed
// and whose microbatches are drawn from the measured ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/placed_orders.h"
#include "traces/pipeline/measured_job.h"

namespace spillway {

// Layers of each block: two for each rank, so that most schedules and cuts split the stages evenly again.
std::uint32_t trace_layers(const MeasuredPipeline& pipeline);

// A trace's own order in PyTorch's form, for an experiment that runs it as it was: one text per rank, such as
// "0F0,0F1,0B0,0B1" (schedule/action_list.h).
std::vector<std::string> listed_rows(const PlacedOrders& placed);

// A document of spillway/experiment/1 with given durations:
//   blocks       one per stage, stage-0 and on: the mean time of its passes over all steps and microbatches,
//                spread evenly over its layers; measured_work says how each measured microbatch compares
//   network      p2p_ms is the median of the transfers between ranks; reductions take no time, because a span
//                ends with its last backward
//   schedules    one, "measured"
//   draws        16
//   assumptions  what of this the trace does not say, and notes on what was done to it
// A whole backward counts half as the gradient of the input and half as that of the weights. Only durations
// go in: what lies between the passes follows from the schedule.
std::string trace_experiment(const MeasuredJob& job);

// The same with an experiment of the user's, `text` from `file`, laid over it: its keys replace those above,
// but of these
//   schedules    come before "measured", which stays the baseline unless the file names one, and which the
//                file may replace by one of that name
//   model        blocks are stage-0 and on, all of them, each with whatever keys; "layers" splits the stage
//                into that many, and what "profile" does not say comes from the trace
//   pipeline, network   key by key
//   assumptions  come first
// Throws InputError where the text is no JSON object or its blocks are not the trace's stages; what else may
// be wrong is the experiment reader's to say.
std::string trace_experiment(const MeasuredJob& job, const std::string& text, const std::string& file);

}  // namespace spillway
