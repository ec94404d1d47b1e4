// RapidCheck under GoogleTest with a fixed seed, so that every run of the tests checks the same cases. Set
// RC_PARAMS, for instance to "seed=7 max_success=5000", to look further, as `make nightly` does.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "support/numbers.h"

namespace spillway::testing {

// RapidCheck reads its parameters from the environment when the first property runs.
#ifndef SPILLWAY_PROPERTY_CASES
#define SPILLWAY_PROPERTY_CASES "300"  // a test program whose cases take long defines fewer
#endif
inline const int kFixedSeed = setenv("RC_PARAMS", "seed=20240607 max_success=" SPILLWAY_PROPERTY_CASES, 0);

}  // namespace spillway::testing
