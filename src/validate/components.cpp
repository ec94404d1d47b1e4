#include "validate/components.h"

#include <algorithm>

#include "traces/events/union_of_intervals.h"

namespace spillway {
namespace {

using Intervals = std::vector<Interval>;

class RankAccount {
 public:
  RankAccount(const Order& order, const Timeline& timeline, std::uint32_t lane, RankId rank,
              const Intervals& collectives)
      : order_(order), timeline_(timeline), lane_(lane), rank_(rank), sends_(union_of(sends())) {
    busy_ = sends_;
    busy_.insert(busy_.end(), collectives.begin(), collectives.end());
    busy_ = union_of(std::move(busy_));
  }

  Components over(Interval span) {
    free_ = span.start;
    for (EventId id : order_.nodes(rank_)) {
      if (!order_.event(id).computes()) continue;
      const Interval own = interval(id);
      if (own.start > free_) add_gap({free_, own.start}, ready(id));
      parts_.compute += std::max(Seconds(), own.end - std::max(own.start, free_));
      free_ = std::max(free_, own.end);
    }
    if (span.end > free_) add_drain({free_, span.end});
    return parts_;
  }

 private:
  Interval interval(EventId id) const { return {timeline_.start.at(id, lane_), timeline_.end.at(id, lane_)}; }

  Intervals sends() const {
    Intervals sends;
    for (EventId id : order_.nodes(rank_))
      if (order_.event(id).transfers()) sends.push_back(interval(id));
    return sends;
  }

  // The end of all predecessors of an event; the start of the gap if it has none.
  Seconds ready(EventId id) const {
    Seconds ready = free_;
    for (std::uint32_t before : order_.predecessors(id))
      ready = std::max(ready, timeline_.end.at(EventId(before), lane_));
    return ready;
  }

  void add_gap(Interval gap, Seconds ready) {
    const Seconds split = std::min(ready, gap.end);
    const Interval before{gap.start, split}, after{split, gap.end};
    const Seconds sending = covered(sends_, gap);
    parts_.transfer += sending;
    parts_.collective += covered(busy_, gap) - sending;
    parts_.wait += before.length() - covered(busy_, before);
    parts_.host_gap += after.length() - covered(busy_, after);
  }

  void add_drain(Interval gap) {
    const Seconds sending = covered(sends_, gap);
    parts_.transfer += sending;
    parts_.wait += gap.length() - sending;
  }

  const Order& order_;
  const Timeline& timeline_;
  std::uint32_t lane_;
  RankId rank_;
  Intervals sends_;
  Intervals busy_;  // sends and collectives
  Seconds free_;
  Components parts_;
};

}  // namespace

std::vector<Components> components(const Order& order, const Timeline& timeline, std::uint32_t lane,
                                   Interval span, const std::vector<std::vector<Interval>>& collectives) {
  std::vector<Components> by_rank;
  for (std::uint32_t rank = 0; rank < order.rank_count(); ++rank) {
    const Intervals none;
    const Intervals& own = collectives.empty() ? none : collectives[rank];
    by_rank.push_back(RankAccount(order, timeline, lane, RankId(rank), own).over(span));
  }
  return by_rank;
}

}  // namespace spillway
