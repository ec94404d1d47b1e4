#include "cost/operators/evidence.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

Evidence weakest_of(const std::array<double, kEvidenceKinds>& shares) {
  Evidence weakest = Evidence::Measured;
  for (std::size_t kind = 0; kind < kEvidenceKinds; ++kind)
    if (shares[kind] >= kCarryingShare) weakest = weaker(weakest, static_cast<Evidence>(kind));
  return weakest;
}

std::vector<PricedOperator> unmeasured_of(std::span<const PricedOperator> operators) {
  std::vector<PricedOperator> unmeasured;
  for (const PricedOperator& priced : operators)
    if (priced.evidence != Evidence::Measured) unmeasured.push_back(priced);
  std::stable_sort(unmeasured.begin(), unmeasured.end(),
                   [](const PricedOperator& a, const PricedOperator& b) { return a.time > b.time; });
  return unmeasured;
}

}  // namespace

EvidenceSummary summarize(std::span<const PricedOperator> operators) {
  Seconds total;
  for (const PricedOperator& priced : operators) total += priced.time;
  ensure(total > Seconds(), "evidence is weighed by time");
  std::array<double, kEvidenceKinds> shares{};
  for (const PricedOperator& priced : operators)
    shares[static_cast<std::size_t>(priced.evidence)] += priced.time / total;
  return {shares, weakest_of(shares), unmeasured_of(operators)};
}

}  // namespace spillway
