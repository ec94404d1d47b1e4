// Finds a fitted number by its pointer.
#pragma once

#include <string>

#include "calibrate/fitted.h"

namespace spillway::testing {

// Returns null if no number was fitted for `pointer`.
inline const FittedNumber* number_in(const Fits& fits, const std::string& pointer) {
  for (const FittedNumber& fitted : fits.numbers)
    if (fitted.pointer == pointer) return &fitted;
  return nullptr;
}

}  // namespace spillway::testing
