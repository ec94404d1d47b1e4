// Writes a measured pipeline as an experiment ("this job, but ..."). The user can change its schedules, sizes
// and roles. Its microbatches are drawn from the measured ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/placed_orders.h"
#include "traces/pipeline/measured_job.h"

namespace spillway {

// Layers of each block. It is two for each rank, so that most schedules and cuts still split the stages
// evenly.
std::uint32_t trace_layers(const MeasuredPipeline& pipeline);

// A trace's own order in PyTorch's form, for an experiment that repeats it. Each rank has one text, such as
// "0F0,0F1,0B0,0B1" (schedule/action_list.h).
std::vector<std::string> listed_rows(const PlacedOrders& placed);

// Returns a document of spillway/experiment/1 with given durations:
//   blocks       one per stage, stage-0 and on: the mean time of its passes over all steps and microbatches,
//                spread evenly over its layers; measured_work relates each measured microbatch to the mean
//   network      p2p_ms is the median of the transfers between ranks; reductions take no time, because a span
//                ends with its last backward
//   schedules    one, "trace-order": simulated in the order of the trace
//   draws        16
//   assumptions  facts that the trace does not state, and notes on what was changed in it
// Half of a whole backward counts as the gradient of the input and half as that of the weights. The document
// holds durations only: the schedule determines the gaps between passes.
std::string trace_experiment(const MeasuredJob& job);

// Does the same and lays the user's experiment, `text` from `file`, over it. The user's keys replace those
// above, except:
//   schedules    come before "trace-order", which stays the baseline unless the file names one; the file may
//                replace it by a schedule of that name
//   model        blocks are stage-0 and on, all of them, each with any keys; "layers" splits the stage
//                into that many, and the trace fills in what "profile" omits
//   pipeline, network   are replaced key by key
//   assumptions  come first
// Throws InputError if the text is no JSON object or its blocks are not the trace's stages. The reader of
// experiments finds all other errors.
std::string trace_experiment(const MeasuredJob& job, const std::string& text, const std::string& file);

}  // namespace spillway
