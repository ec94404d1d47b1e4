// What an experiment changes of its platform although something else stands in its place. Private to
// src/input.
#pragma once

#include <vector>

#include "base/warning.h"
#include "json/node.h"
#include "platform/platform.h"

namespace spillway {

// "measured-instead" for each key of `changes`, a platform_set, that measurements of the changed platform
// override: latency and bandwidth of a tier with measured sweeps, efficiencies of operators with measured
// times.
std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform);

}  // namespace spillway
