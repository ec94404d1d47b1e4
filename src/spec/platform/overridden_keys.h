// What an experiment changes of its platform although something else stands in its place. Private to
// src/spec.
#pragma once

#include <vector>

#include "base/warning.h"
#include "platform/platform.h"
#include "spec/json/node.h"

namespace spillway {

// "measured-instead" for each key of `changes`, a platform_set, that measurements of the changed platform
// override: latency and bandwidth of a tier with measured sweeps, efficiencies of operators with measured
// times.
std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform);

}  // namespace spillway
