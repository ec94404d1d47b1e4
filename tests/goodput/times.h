// Times as papers state them.
#pragma once

#include "base/quantity.h"

namespace spillway::testing {

inline Seconds minutes(double count) {
  return Seconds(60 * count);
}

inline Seconds days(double count) {
  return Seconds(86'400 * count);
}

}  // namespace spillway::testing
