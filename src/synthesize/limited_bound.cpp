#include "synthesize/limited_bound.h"

#include <algorithm>

#include "memory/memory_bound.h"
#include "timing/order_bound.h"

namespace spillway {

Seconds limited_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit) {
  const OrderBound bound(derived.order);
  Seconds sum;
  for (const auto& model : models) {
    const Durations durations = price(derived, *model).durations;
    Seconds step = bound.of(durations).step;
    if (limit) step = std::max(step, memory_bound(derived, *model, durations, *limit).step);
    sum += step;
  }
  return sum / static_cast<double>(models.size());
}

}  // namespace spillway
