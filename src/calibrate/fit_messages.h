// A platform's network fitted to measured messages.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// For every group of devices that was measured a curve of times by size (calibrate/alpha_beta.h),
// where its sizes show both latency and bandwidth: what lies outside them is priced from its ends. And for
// every tier latency and bandwidth of two devices, from messages, or else from a collective among two that is
// one message of half the bytes each way: from the first of these that has three sizes.
// Where a group has eight sizes or more, every second one is held back: the fit does not see it, and its
// errors are reported. What goes against the base platform, a port slower than a pair that goes through it or
// a step longer than a message, is fitted along, and noted.
Fits fit_messages(const Platform& base, const std::vector<Samples>& measurements);

}  // namespace spillway
