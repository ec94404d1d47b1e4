// What is not known of a machine and its software, as one more source of draws: every figure that a time
// rests on drawn about its value, by the interval that its source states, or else by how it is known.
#pragma once

#include "cost/analytic_costs.h"
#include "platform/evidence.h"
#include "workload/random_stream.h"

namespace spillway {

// Relative standard deviation of a figure without an interval of its own, by how it is known; assumed.
double deviation_of(Evidence evidence);
// Of what the model leaves out altogether, over the whole step. Fitted, to one digit, to the first, third,
// ... rows of every table of workloads/published, of which 90 % intervals hold 87 %; of the others they hold
// 84 %.
inline constexpr double kLeftOut = 0.08;

// The costs as they may be: operators by kind and evidence (each kind of operator errs as one), what a long
// run keeps (0.8 to 1 where the platform does not say), hosts, each port with the tiers and sweeps behind it,
// what a framework states. Memory, layouts and prices stay as they are.
AnalyticCosts drawn_about(const AnalyticCosts& costs, RandomStream& random);

// exp of a normal variate of this deviation, cut at 2.5 of them.
double log_normal(RandomStream& random, double deviation);

}  // namespace spillway
