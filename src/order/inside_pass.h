// What a computing event spends on other things than computing its passes once.
#pragma once

#include "base/quantity.h"

namespace spillway {

struct InsidePass {
  Seconds collectives;  // that nothing hides, and what computing is slowed down by those that it hides
  Seconds recomputed;   // of activations for a backward, their collectives left out

  InsidePass& operator+=(const InsidePass& other) {
    collectives += other.collectives;
    recomputed += other.recomputed;
    return *this;
  }
};

}  // namespace spillway
