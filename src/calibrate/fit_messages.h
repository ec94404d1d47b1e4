// Fits a platform's network to measured messages.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// Fits a curve of times by size (calibrate/alpha_beta.h) for every measured group of devices, if its sizes
// show both latency and bandwidth. The curve's ends price all other sizes. Also fits latency and bandwidth of
// two devices for every tier. These come from messages, or from a collective among two that is one message of
// half the bytes each way. The first of these with three sizes is used. If a group has eight sizes or more,
// every second one is held back from the fit and its errors are reported. If the base platform's port is
// slower than a pair that goes through it, or its step longer than a message, it is fitted, too, and noted.
Fits fit_messages(const Platform& base, const std::vector<Samples>& measurements);

}  // namespace spillway
