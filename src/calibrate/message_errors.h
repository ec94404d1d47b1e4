// Compares prices of messages and collectives with their measured times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/alpha_beta.h"
#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// The errors of a price by size. Contract: at least one point.
HeldBackError size_errors(std::string what, const SizedTimes& points,
                          const std::function<Seconds(Bytes)>& price);

// Returns the errors of the platform's own price of every measured group (cost/network/collectives.h),
// whatever that price was fitted to. Brackets hold the evidence of the price at the smallest size, because a
// platform may hold measured curves, not fitted ones. After each group come its errors below 64 kB, up to 1
// MB and above, if its sizes lie in more than one of these ranges. Groups that the platform cannot hold are
// left out.
std::vector<HeldBackError> message_errors(const Platform& platform, const Samples& measured);

}  // namespace spillway
