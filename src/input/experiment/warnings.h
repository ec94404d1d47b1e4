// Warnings about an experiment that can be read.
#pragma once

#include <optional>
#include <vector>

#include "base/warning.h"
#include "experiment/experiment.h"
#include "json/node.h"
#include "platform/platform.h"

namespace spillway {

// Returns "measured-instead" for each key of `changes`, a platform_set, that measurements of the changed
// platform override: latency and bandwidth of a tier with measured sweeps, and efficiencies of operators with
// measured times.
std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform);

// Warns if a value that was stated or fitted for the named machine stays when another machine replaces it.
// `written` is the document of the file; `document` has settings and values of a sweep's axes in place. Empty
// if the platform is as written, or if no such value remains.
//   fit-carried-along         a fit holds the step at a time measured on the other machine
//   efficiency-carried-along  a block's efficiency or fixed time replaces what the new platform measures
std::vector<Warning> carried_along(const Node& written, const Node& document);

// A transposed region counts as encoder work, whatever the roles of its blocks. This warning names the blocks
// in transposed regions that feed pipelined ones and whose role is not encoder, and the schedules. Returns
// nothing if there is no such block.
std::optional<Warning> role_remark(const Experiment& experiment);

}  // namespace spillway
