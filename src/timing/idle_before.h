// Why a rank was idle right before each of its computing events: its bubble, event by event.
#pragma once

#include <vector>

#include "timing/attribution.h"

namespace spillway {

// The cause of the idle time, if any, right before a computing event.
struct IdleBefore {
  EventId event;
  Seconds BubbleCauses::*cause;
};

// One for each computing event of the rank, in execution order. Idle time after the last one is drain. The
// idle times of each cause add up to those of bubble_causes().
std::vector<IdleBefore> idle_before(const Derived& derived, const Timeline& timeline, RankId rank,
                                    ReplicaId replica);

}  // namespace spillway
