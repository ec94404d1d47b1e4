// How exact a replay's clock has to be (SlowMotion in sim/clock.h): how long a run takes at least, and how
// many of its dates follow each other, each rounded to the clock.
#pragma once

#include <cstdint>
#include <span>

#include "order/order.h"
#include "sim/slab_steps.h"
#include "timing/timeline.h"

namespace spillway {

// The busiest rank's computing, of the first replica, or the longest event. No run is shorter, however links
// are shared.
Seconds least_makespan(const Order& order, const Durations& durations);

// On the path of events with the most: computing is one date, a transfer's delay and its flows are two, a
// reduction has its update besides, and each step inside a computing event is two. `inside` has the order's
// events in as many lanes, or nothing.
std::uint64_t dates_in_a_row(const Order& order, std::span<const SlabSteps> inside);

}  // namespace spillway
