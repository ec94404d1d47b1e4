// What was fitted, by its pointer.
#pragma once

#include <string>

#include "calibrate/fitted.h"

namespace spillway::testing {

// Null where nothing was.
inline const FittedNumber* number_in(const Fits& fits, const std::string& pointer) {
  for (const FittedNumber& fitted : fits.numbers)
    if (fitted.pointer == pointer) return &fitted;
  return nullptr;
}

}  // namespace spillway::testing
