// The time of a slab's passes over one microbatch: computing, and the collectives that nothing hides.
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
  // Copies over the link to the host, beside all of these; the two directions do not meet.
  Seconds to_host = {};
  Seconds from_host = {};

  PassTime& operator+=(const PassTime& other);

  // Computing takes `slowdown` of itself longer for as long as a collective runs beside it.
  Seconds alone(double slowdown) const;
  // Called on the sum of a pass and the pass that it is overlapped with. Each computes while the other
  // communicates. Exposed tensor parallelism hides under neither; of the other exposed collectives, the share
  // `hides` does.
  Seconds overlapped(double slowdown, double hides = 1) const;
};

// A slab and its times for one microbatch. Views both times.
struct SlabPasses {
  const SlabTimes& times;
  const SlabCommunication& communication;
  Gradients gradients;
  Seconds fixed;  // added to the forward

  PassTime of(Pass pass) const;

 private:
  PassTime forward() const;
  PassTime input_gradient(bool weight_follows) const;
  PassTime weight_gradient(Seconds computing) const;
};

}  // namespace spillway
