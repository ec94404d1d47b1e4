// The time of a computing event beyond computing its passes once.
#pragma once

#include "base/quantity.h"

namespace spillway {

struct InsidePass {
  Seconds collectives;  // exposed collectives, and the slow-down of computing by hidden ones
  Seconds recomputed;   // recomputation of activations for a backward, without its collectives

  InsidePass& operator+=(const InsidePass& other) {
    collectives += other.collectives;
    recomputed += other.recomputed;
    return *this;
  }
};

}  // namespace spillway
