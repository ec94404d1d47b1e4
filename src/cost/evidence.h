// What a predicted time rests on: how much of it on measurements, how much on less.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platform/evidence.h"

namespace spillway {

// One operator or collective as it was priced, over the whole step and all its devices.
struct PricedOperator {
  std::string name;   // "gemm"
  std::string shape;  // "m=8192 n=4608 k=7168"
  Evidence evidence;
  Seconds time;
};

// Evidence that carries less of the time than this does not weaken the whole.
inline constexpr double kCarryingShare = 0.01;

struct EvidenceSummary {
  std::array<double, kEvidenceKinds> share_of_time;  // by Evidence; sums to 1
  Evidence weakest;                                  // of what carries at least kCarryingShare
  std::vector<PricedOperator> unmeasured;            // all but Measured, longest first

  double share(Evidence evidence) const { return share_of_time[static_cast<std::size_t>(evidence)]; }
};

// Contract: some operator takes time, none a negative one. Operators that take equally long stay in order.
EvidenceSummary summarize(std::span<const PricedOperator> operators);

}  // namespace spillway
