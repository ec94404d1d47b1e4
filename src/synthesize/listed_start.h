// A schedule as a list: the placement that a search keeps, and the order that it begins with.
#pragma once

#include <string>
#include <variant>

#include "optimize/plan.h"
#include "synthesize/pass_graph.h"

namespace spillway {

// Returns the planned schedule as one listed region behind its transposed inputs: the same stages on the same
// ranks, the same owners and places of encodes, the same order. Barriers in front of the pipeline and batches
// of encodes are left out, since no order needs them. If that cannot be listed, returns the reason: "its
// samples move".
std::variant<ScheduleSpec, std::string> as_listed(const Experiment& experiment, const ScheduleSpec& spec,
                                                  const Derived& planned);

// Returns the listed schedule with the sequences as its order, and with the owners of `derived`. Contract:
// `derived` is of `listed`, up to owners and order, and `sequences` have its passes.
ScheduleSpec in_order(const ScheduleSpec& listed, const Derived& derived, const PassSequences& sequences);

// Returns true if both have the same passes on the same ranks, up to the owners of encodes. Contract: both
// are as_listed().
bool is_same_placement(const ScheduleSpec& one, const ScheduleSpec& other);

}  // namespace spillway
