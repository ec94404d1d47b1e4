// The named schedules that a search starts from: those of the experiment, and every system and skeleton that
// the program can play on its job, on the terms of one static plan. Private to src/synthesize.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

struct NamedStart {
  ScheduleSpec spec;
  std::string entry;  // the start as an entry of an experiment's `schedules`; empty: the experiment has it
};

// Returns them in a fixed order, those of the experiment first. Samples stay where they are drawn, and no
// plan knows a draw's sizes, but for schedules of the experiment that state otherwise. Systems that are not
// ranked are left out, and so is what the job's model, layers or ranks do not allow. Layers are split by
// their times. Contract: nothing is left to fit.
std::vector<NamedStart> named_starts(const Experiment& experiment);

// The systems among them that can plan each step from the sizes of its draw, and do so. "mpipe zb-v, each
// draw"
std::vector<NamedStart> knowing_starts(const Experiment& experiment);

}  // namespace spillway
