// The passes of a trace as rows of measured passes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "traces/events/trace.h"

namespace spillway {

// The part of a trace that is read. Empty lists keep all.
struct TraceChoice {
  std::vector<std::string> steps = {};    // by name
  std::vector<std::uint32_t> ranks = {};  // of the pipeline
  // The schedule whose stages the trace has. If it is empty, the one that the trace names, or else the first
  // with as many stages.
  std::string schedule = {};
};

struct TraceRows {
  std::vector<MeasuredRow> rows;
  std::string schedule;            // whose stages they are
  std::vector<std::string> notes;  // what was inferred or left out: sentences without a full stop
};

// Returns the passes with the layers that a schedule of the experiment gives to their stages. The content of
// microbatches is the experiment's: sequences of text alone, or the first draw's samples if this program
// wrote the trace. Where images are drawn and another program wrote it, the passes of a step are one repeat
// of their mean. The first step is left out as a warm-up if its passes take 1.5 times the median step's.
// Throws InputError if no schedule has these stages, and for a trace of several stages that names a schedule
// which the experiment does not have, unless one is chosen.
TraceRows trace_rows(Trace trace, const Experiment& experiment, const TraceChoice& choice);

// "vit+llm:0-4": the layers as MeasuredRow::stage names them.
std::string layers_text(const Model& model, LayerRange layers);

}  // namespace spillway
