// The evidence behind a predicted time: how much of the time rests on which kind of evidence.
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

// Evidence that carries a smaller share of the time does not weaken the whole.
inline constexpr double kCarryingShare = 0.01;

struct EvidenceSummary {
  std::array<double, kEvidenceKinds> share_of_time;  // by Evidence; sums to 1
  Evidence weakest;                                  // among kinds that carry at least kCarryingShare
  std::vector<PricedOperator> unmeasured;            // all but Measured, longest first

  double share(Evidence evidence) const { return share_of_time[static_cast<std::size_t>(evidence)]; }
};

// Contract: some operator takes time, and none takes negative time. Operators with equal times keep their
// order.
EvidenceSummary summarize(std::span<const PricedOperator> operators);

}  // namespace spillway
