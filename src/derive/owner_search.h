// Owner maps by search. Private to src/derive.
#pragma once

#include <cstdint>

#include "derive/owner.h"

namespace spillway {

// Least max spill; see OwnerPolicy::MinMax for how far it is proved.
OwnerChoice least_spill(const OwnerProblem& problem);

// Least makespan found in at most `evaluations` calls of `makespan`; at least one.
OwnerMap least_makespan(const OwnerProblem& problem, const MakespanOf& makespan, std::uint32_t evaluations);

// How far `spill` lies above `bound`; not below zero, however the two were rounded.
Seconds gap_above(Seconds bound, Seconds spill);

}  // namespace spillway
