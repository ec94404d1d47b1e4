// RapidCheck under GoogleTest with a fixed seed, so that every run of the tests checks the same cases. Set
// RC_PARAMS, for instance to "seed=7 max_success=5000", to look further.
#pragma once

#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "support/numbers.h"

namespace spillway::testing {

// RapidCheck reads its parameters from the environment when the first property runs.
inline const int kFixedSeed = setenv("RC_PARAMS", "seed=20240607 max_success=300", 0);

}  // namespace spillway::testing
