#include "evaluate/encoder_work.h"

#include <algorithm>

#include "base/mean.h"
#include "derive/feeding.h"
#include "timing/critical_path.h"

namespace spillway {

std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived,
                                                            const Durations& durations,
                                                            const Timeline& longest_path) {
  std::vector<EncoderOnCriticalPath> by_rank;
  const std::optional<Feeding> feeding = feeding_of(derived);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    by_rank.push_back({RankId(rank), {}, {}});
  for (const CriticalEvent& at : critical_path(derived.order, longest_path)) {
    const Event& event = derived.order.event(at.event);
    if (!is_transposed_work(derived, feeding, event)) continue;
    EncoderOnCriticalPath& entry = by_rank[event.rank.index()];
    (event.runs_forward() ? entry.forward : entry.backward) += durations.at(at.event, at.lane);
  }
  std::erase_if(by_rank, [](const EncoderOnCriticalPath& entry) { return entry.time() == Seconds(); });
  return by_rank;
}

// A microbatch may be encoded in several passes.
void EncoderTally::add(const Derived& derived, const Durations& durations) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  if (!feeding) return;
  const auto events = derived.order.events();
  const std::size_t first = all_.size();
  all_.resize(first + std::size_t{derived.pipeline.microbatches} * derived.pipeline.replicas);
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    if (!is_transposed_forward(derived, feeding, events[index])) continue;
    const std::size_t own = first + std::size_t{events[index].microbatch.index()} * derived.pipeline.replicas;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane)
      all_[own + lane] += durations.at(EventId(index), lane);
  }
}

std::optional<EncoderTimes> EncoderTally::times() const {
  if (all_.empty()) return std::nullopt;
  std::vector<double> times;
  for (const Seconds time : all_) times.push_back(time.value());
  const auto [least, most] = std::minmax_element(all_.begin(), all_.end());
  return EncoderTimes{*least, Seconds(mean_of(std::move(times))), *most};
}

}  // namespace spillway
