#include "evaluate/priced_draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "derive/feeding.h"
#include "policy/microbatch_search.h"
#include "timing/critical_path.h"

namespace spillway {

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      const LongestPath& longest_path, std::uint32_t draw) {
  std::unique_ptr<const CostModel> as_sampled = costs.of(derived, draw);
  std::vector<Permutation> orders = order_microbatches(order, derived, *as_sampled);
  const ReorderedCosts model(*as_sampled, orders);
  Prices prices = price(derived, model);
  PricedDraw priced{std::move(as_sampled), std::move(orders), std::move(prices), {}, {}};
  priced.timeline = longest_path.timeline(priced.prices.durations);
  if (!feeding_of(derived)) return priced;
  PerEvent<Seconds> ends;
  priced.free_makespan = longest_path.makespan(transposed_free(derived, priced.prices.durations), ends);
  return priced;
}

void hold_to_numbers(Seconds makespan) {
  if (!std::isfinite(makespan.value()))
    throw InputError({{"", "/model", "durations that add up to a number", "a step longer than any"}});
}

std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived,
                                                            const PricedDraw& priced) {
  std::vector<EncoderOnCriticalPath> by_rank;
  const std::optional<Feeding> feeding = feeding_of(derived);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    by_rank.push_back({RankId(rank), {}, {}});
  for (const CriticalEvent& at : critical_path(derived.order, priced.timeline)) {
    const Event& event = derived.order.event(at.event);
    if (!is_transposed_work(derived, feeding, event)) continue;
    EncoderOnCriticalPath& entry = by_rank[event.rank.index()];
    (event.runs_forward() ? entry.forward : entry.backward) += priced.prices.durations.at(at.event, at.lane);
  }
  std::erase_if(by_rank, [](const EncoderOnCriticalPath& entry) { return entry.time() == Seconds(); });
  return by_rank;
}

void EncoderTally::add(const Derived& derived, const PricedDraw& priced) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  const auto events = derived.order.events();
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    if (!is_transposed_forward(derived, feeding, events[index])) continue;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane)
      all_.push_back(priced.prices.durations.at(EventId(index), lane));
  }
}

std::optional<EncoderTimes> EncoderTally::times() const {
  if (all_.empty()) return std::nullopt;
  Seconds sum;
  for (Seconds time : all_) sum += time;
  const auto [least, most] = std::minmax_element(all_.begin(), all_.end());
  return EncoderTimes{*least, sum / static_cast<double>(all_.size()), *most};
}

}  // namespace spillway
