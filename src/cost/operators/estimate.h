// A time, and how it came about.
#pragma once

#include "base/quantity.h"
#include "platform/evidence.h"

namespace spillway {

struct Estimate {
  Seconds time;
  Evidence evidence;
};

}  // namespace spillway
