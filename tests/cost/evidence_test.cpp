#include "cost/operators/evidence.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "support/property.h"

namespace spillway {
namespace {

PricedOperator taking(double seconds, Evidence evidence, const char* name = "gemm") {
  return {name, "m=1", evidence, Seconds(seconds)};
}

TEST(EvidenceSummary, WeighsByTime) {
  const std::vector<PricedOperator> operators = {taking(6, Evidence::Derived), taking(1, Evidence::Measured),
                                                 taking(3, Evidence::Extrapolated)};
  const EvidenceSummary summary = summarize(operators);
  EXPECT_DOUBLE_EQ(summary.share(Evidence::Measured), 0.1);
  EXPECT_DOUBLE_EQ(summary.share(Evidence::Derived), 0.6);
  EXPECT_DOUBLE_EQ(summary.share(Evidence::Extrapolated), 0.3);
  EXPECT_EQ(summary.share(Evidence::Assumed), 0);
  EXPECT_EQ(summary.weakest, Evidence::Extrapolated);
}

// The weakest evidence ignores operators that take less than a hundredth of the time.
TEST(EvidenceSummary, IsNotWeakenedByLessThanAHundredth) {
  const auto weakest = [](double assumed) {
    const std::vector<PricedOperator> operators = {taking(100 - assumed, Evidence::Vendor),
                                                   taking(assumed, Evidence::Assumed)};
    return summarize(operators).weakest;
  };
  EXPECT_EQ(weakest(0.5), Evidence::Vendor);
  EXPECT_EQ(weakest(2), Evidence::Assumed);
}

TEST(EvidenceSummary, ListsWhatIsNotMeasuredLongestFirst) {
  const std::vector<PricedOperator> operators = {
      taking(1, Evidence::Derived, "a"), taking(9, Evidence::Measured, "b"), taking(3, Evidence::Vendor, "c"),
      taking(1, Evidence::Assumed, "d")};
  std::string names;
  for (const PricedOperator& priced : summarize(operators).unmeasured) names += priced.name;
  EXPECT_EQ(names, "cad");
}

TEST(EvidenceSummary, NeedsTime) {
  EXPECT_THROW(summarize({}), ContractBreach);
}

RC_GTEST_PROP(EvidenceSummary, SharesSumToOneAndTheWeakestCarries, ()) {
  std::vector<PricedOperator> operators = {taking(1, Evidence::Measured)};
  for (int kind : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6)))
    operators.push_back(taking(*rc::gen::inRange(0, 1000), static_cast<Evidence>(kind)));
  const EvidenceSummary summary = summarize(operators);
  const auto& shares = summary.share_of_time;
  RC_ASSERT(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
  RC_ASSERT(summary.share(summary.weakest) >= kCarryingShare);
  for (std::size_t kind = static_cast<std::size_t>(summary.weakest) + 1; kind < kEvidenceKinds; ++kind)
    RC_ASSERT(shares[kind] < kCarryingShare);
}

}  // namespace
}  // namespace spillway
