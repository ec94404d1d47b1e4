#include "evaluate/priced_draw.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "policy/microbatch_search.h"

namespace spillway {

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      std::uint32_t draw) {
  std::unique_ptr<const CostModel> as_sampled = costs.of(derived, draw);
  std::vector<Permutation> orders = order_microbatches(order, derived, *as_sampled);
  Prices prices = price(derived, ReorderedCosts(*as_sampled, orders));
  return {std::move(as_sampled), std::move(orders), std::move(prices)};
}

void hold_to_numbers(Seconds makespan) {
  if (!std::isfinite(makespan.value()))
    throw InputError({{"", "/model", "durations that add up to a number", "a step longer than any"}});
}

}  // namespace spillway
