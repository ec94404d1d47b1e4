// How uneven routing makes the devices that share out experts.
//
// The load of an expert is drawn once for each of `experts` experts, independently, log-normal with
// logarithms that spread by `spread`. A device holds experts / devices of them, so its mean load varies by c
// / sqrt(experts / devices) of the mean, where c^2 = exp(spread^2) - 1. The busiest of `devices` devices has
// as much more than the mean as the greatest of as many normal variates.
// Source: order statistics, as in H. A. David and H. N. Nagaraja, "Order Statistics", section 3.2.
// Test: tests/cost/routing_skew_test.cpp draws loads.
#pragma once

#include <cstdint>

namespace spillway {

// The greatest of `count` independent standard normal variates, in the mean. Contract: count > 0.
double expected_greatest(std::uint32_t count);

// Returns the load of the busiest device over the mean device's, from 1 to `devices`. Contract: there is at
// least one expert for each device, and devices > 0.
double busiest_over_mean(double spread, double experts, std::uint32_t devices);

}  // namespace spillway
