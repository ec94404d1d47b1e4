#include "synthesize/limited_bound.h"

#include <algorithm>

#include "memory/memory_bound.h"
#include "timing/order_bound.h"

namespace spillway {

Seconds limited_bound(const Derived& derived, const CostModel& model, std::optional<Bytes> limit) {
  const Durations durations = price(derived, model).durations;
  const Seconds step = OrderBound(derived.order).of(durations).step;
  return limit ? std::max(step, memory_bound(derived, model, durations, *limit).step) : step;
}

Seconds limited_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit) {
  Seconds sum;
  for (const auto& model : models) sum += limited_bound(derived, *model, limit);
  return sum / static_cast<double>(models.size());
}

}  // namespace spillway
