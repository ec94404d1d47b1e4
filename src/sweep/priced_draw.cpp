#include "sweep/priced_draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "sweep/order_search.h"
#include "timing/critical_path.h"

namespace spillway {

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      const LongestPath& longest_path, std::uint32_t draw) {
  std::unique_ptr<const CostModel> as_sampled = costs.of(derived, draw);
  std::vector<Permutation> orders = order_microbatches(order, derived, *as_sampled);
  const ReorderedCosts model(*as_sampled, orders);
  Prices prices = price(derived, model);
  Durations free = price(derived, model, EncoderWork::Free).durations;
  Durations encoder = encoder_forwards(derived, model, prices.durations, free);
  PricedDraw priced{std::move(as_sampled), std::move(orders), std::move(prices), {}, std::move(free), {},
                    std::move(encoder)};
  priced.timeline = longest_path.timeline(priced.prices.durations);
  priced.free_timeline = longest_path.timeline(priced.free_durations);
  return priced;
}

void hold_to_numbers(Seconds makespan) {
  if (!std::isfinite(makespan.value()))
    throw InputError({{"", "/model", "durations that add up to a number", "a step longer than any"}});
}

std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived,
                                                            const PricedDraw& priced) {
  std::vector<EncoderOnCriticalPath> by_rank;
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    by_rank.push_back({RankId(rank), {}, {}});
  for (const CriticalEvent& at : critical_path(derived.order, priced.timeline)) {
    const Event& event = derived.order.event(at.event);
    if (!event.computes()) continue;
    EncoderOnCriticalPath& entry = by_rank[event.rank.index()];
    (event.runs_forward() ? entry.forward : entry.backward) +=
        priced.prices.durations.at(at.event, at.lane) - priced.free_durations.at(at.event, at.lane);
  }
  std::erase_if(by_rank, [](const EncoderOnCriticalPath& entry) { return entry.time() == Seconds(); });
  return by_rank;
}

void EncoderTally::add(const Derived& derived, const PricedDraw& priced) {
  const std::uint32_t lanes = derived.pipeline.replicas;
  std::vector<Seconds> time(std::size_t{derived.pipeline.microbatches} * lanes);
  const auto events = derived.order.events();
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    if (!events[index].runs_forward()) continue;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      time[std::size_t{events[index].microbatch.index()} * lanes + lane] +=
          priced.encoder_forwards.at(EventId(index), lane);
    }
  }
  all_.insert(all_.end(), time.begin(), time.end());
}

EncoderTimes EncoderTally::times() const {
  Seconds sum;
  for (Seconds time : all_) sum += time;
  const auto [least, most] = std::minmax_element(all_.begin(), all_.end());
  return {*least, sum / static_cast<double>(all_.size()), *most};
}

}  // namespace spillway
