// Attributes the step's time: the parts of its critical path, and the causes of each rank's bubble.
#pragma once

#include <functional>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "derive/derive.h"
#include "order/durations.h"
#include "order/inside_pass.h"
#include "timing/timeline.h"

namespace spillway {

// The time of the critical path by kind of event. The parts add up to the makespan.
struct CriticalPathShares {
  Seconds transposed_forward;
  Seconds transposed_backward;
  Seconds forward;  // of pipelined regions
  Seconds backward;
  Seconds overlapped;  // a forward and a backward together
  Seconds transfers;
  Seconds reductions;
  InsidePass inside;  // part of the computing above
  Seconds planning;   // the step's wait for its plan, ahead of its first event (planning_wait.h)

  Seconds total() const {
    return transposed_forward + transposed_backward + forward + backward + overlapped + transfers +
           reductions + planning;
  }
};

// The InsidePass of an event on a lane.
using InsideEvent = std::function<InsidePass(const Event&, ReplicaId)>;

// `timeline` is the longest path under `durations`.
CriticalPathShares critical_path_shares(const Derived& derived, const Durations& durations,
                                        const Timeline& timeline, const InsideEvent& inside = {});

// A rank's bubble by cause. The parts add up to makespan - busy.
struct BubbleCauses {
  ReplicaId replica;
  RankId rank;
  Seconds fill;         // idle before its first pipelined forward
  Seconds activations;  // later: for the input of a forward
  Seconds gradients;    // later: for the gradient of a backward
  Seconds replicas;     // later: for replicas that advance together with it
  Seconds sending;      // later: for its own blocking transfers
  Seconds drain;        // idle after its last pipelined event: other ranks, reductions, the barrier
  Seconds plan = {};    // before all this: waiting for the step's plan (planning_wait.h)

  Seconds total() const { return fill + activations + gradients + replicas + sending + drain + plan; }
};

// Replica by replica, rank by rank. `timeline` from any engine.
std::vector<BubbleCauses> bubble_causes(const Derived& derived, const Timeline& timeline);

}  // namespace spillway
