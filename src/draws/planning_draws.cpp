#include "draws/planning_draws.h"

#include "draws/costs.h"
#include "experiment/experiment.h"

namespace spillway {
namespace {

// The number of draws that an expectation is the mean of.
constexpr std::uint32_t kSamples = 4;

static_assert(PlanningDraws::kFirst > kMostDraws,
              "no experiment is judged on a draw that plans are made from");

}  // namespace

PlanningDraws PlanningDraws::expected(const Experiment& experiment) {
  if (!draws_differ(experiment)) return PlanningDraws({0});
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < kSamples; ++i) numbers.push_back(kFirst + i);
  return PlanningDraws(std::move(numbers));
}

}  // namespace spillway
