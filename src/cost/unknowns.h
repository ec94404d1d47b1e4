// The uncertainty about a machine and its software, as one more source of draws. Every figure that a time
// rests on is drawn about its value: by the interval that its source states, or else by its kind of evidence.
#pragma once

#include "cost/analytic_costs.h"
#include "platform/evidence.h"
#include "workload/random_stream.h"

namespace spillway {

// Relative standard deviation of a figure without a stated interval, by its evidence. The deviations are
// assumed.
double deviation_of(Evidence evidence);
// Deviation of the whole step for everything that the model leaves out. It was fitted, to one digit, to the
// first, third, ... rows of every table of workloads/published. 90 % intervals hold 87 % of those rows, and
// 84 % of the others.
inline constexpr double kLeftOut = 0.08;

// The costs with drawn figures: operators by kind and evidence (each kind of operator errs as one), the share
// that a long run keeps (0.8 to 1 if the platform states none), hosts, each port with its tiers and sweeps,
// and the framework's figures. Memory, layouts and prices stay unchanged.
AnalyticCosts drawn_about(const AnalyticCosts& costs, RandomStream& random);

// exp of a normal variate with this deviation, cut at 2.5 deviations.
double log_normal(RandomStream& random, double deviation);

}  // namespace spillway
