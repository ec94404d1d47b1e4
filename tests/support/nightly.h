// Tests that take long have a quick form for every day. `make nightly` runs them whole.
#pragma once

#include <cstdlib>

namespace spillway::testing {

inline bool is_nightly() {
  return std::getenv("SPILLWAY_NIGHTLY") != nullptr;
}

}  // namespace spillway::testing
