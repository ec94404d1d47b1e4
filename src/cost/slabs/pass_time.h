// What the passes of a slab over one microbatch take: computing, and the collectives that nothing hides.
#pragma once

#include "cost/slabs/gradients.h"
#include "cost/slabs/slab_collectives.h"
#include "cost/slabs/slab_time.h"

namespace spillway {

struct PassTime {
  Seconds computing;
  Seconds exposed;          // collectives after it
  Seconds hidden;           // collectives beside it
  Seconds tensor;           // of the exposed ones, those that no other pass hides either
  Seconds recomputed = {};  // of computing

  PassTime& operator+=(const PassTime& other);

  // Computing is slowed down by this share of itself for as long as a collective runs beside it.
  Seconds alone(double slowdown) const;
  // The sum of a pass and one that it is overlapped with: either computes while the other communicates, but
  // for what tensor parallelism exposes, and for what is left of this share of the rest.
  Seconds overlapped(double slowdown, double hides = 1) const;
};

// A slab and what it takes of one microbatch. Views both times.
struct SlabPasses {
  const SlabTimes& times;
  const SlabCommunication& communication;
  Gradients gradients;
  Seconds fixed;  // of the forward

  PassTime of(Pass pass) const;

 private:
  PassTime forward() const;
  PassTime input_gradient(bool weight_follows) const;
  PassTime weight_gradient(Seconds computing) const;
};

}  // namespace spillway
