// How far prices of messages and collectives are off from what they took.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/alpha_beta.h"
#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// Of a price by size. Contract: at least one point.
HeldBackError size_errors(std::string what, const SizedTimes& points,
                          const std::function<Seconds(Bytes)>& price);

// What the platform's own price of every measured group (cost/network/collectives.h) is off by, whatever it
// was fitted to; in brackets the evidence of the price at the smallest size, since a platform may hold curves
// that were measured, not fitted. After each group its errors below 64 kB, up to 1 MB and from there, where
// its sizes lie in more than one of these. Groups that the platform cannot hold are left out.
std::vector<HeldBackError> message_errors(const Platform& platform, const Samples& measured);

}  // namespace spillway
