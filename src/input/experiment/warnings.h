// Warnings about an experiment that can be read.
#pragma once

#include <optional>
#include <vector>

#include "base/warning.h"
#include "experiment/experiment.h"
#include "json/node.h"
#include "platform/platform.h"

namespace spillway {

// "measured-instead" for each key of `changes`, a platform_set, that measurements of the changed platform
// override: latency and bandwidth of a tier with measured sweeps, efficiencies of operators with measured
// times.
std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform);

// What was stated or fitted for the machine that an experiment names, and stays where another one is put in
// its place.
//
// `written` as its file has it, `document` with settings and the values of a sweep's axes in place. Empty
// where the platform is as written, or what was made for it is not.
//   fit-carried-along         a fit holds the step at a time measured on the other machine, whatever this
//                             one is
//   efficiency-carried-along  a block's efficiency or fixed time is taken in place of what the new platform
//                             measures
std::vector<Warning> carried_along(const Node& written, const Node& document);

// Roles are words: what a schedule transposes is its encoder work, whatever its blocks are called. Where the
// words do not say so, the report does, once.
//
// Names the blocks in transposed regions that feed pipelined ones and whose role is not encoder, and the
// schedules; none where there is no such block.
std::optional<Warning> role_remark(const Experiment& experiment);

}  // namespace spillway
