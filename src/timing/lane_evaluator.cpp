#include "timing/lane_evaluator.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "derive/feeding.h"
#include "timing/lane_loops.h"

namespace spillway {
namespace {

// Adds up durations while their rows pass into a longest path, in the order of events.
class SummedRows final : public DurationRows {
 public:
  // `addends` ascend by event. Views all three.
  SummedRows(DurationRows& rows, std::span<const Addend> addends, AlignedVector<double>& sums)
      : rows_(rows), left_(addends), sums_(sums) {}

  std::uint32_t events() const override { return rows_.events(); }
  std::uint32_t lanes() const override { return rows_.lanes(); }
  RowStretch from(std::uint32_t first) override {
    const RowStretch stretch = rows_.from(first);
    const auto before = [](const Addend& addend, std::uint32_t event) { return addend.event < event; };
    const auto passed = std::lower_bound(left_.begin(), left_.end(), first + stretch.count, before);
    const auto count = static_cast<std::size_t>(passed - left_.begin());
    fastest_loops().add(left_.first(count), first, stretch, row_width(lanes()), sums_.data());
    left_ = left_.subspan(count);
    return stretch;
  }

 private:
  DurationRows& rows_;
  std::span<const Addend> left_;
  AlignedVector<double>& sums_;
};

// Keeps the durations of some events while their rows pass.
class KeptRows final : public DurationRows {
 public:
  // `events` ascend. Views the rows.
  KeptRows(DurationRows& rows, std::vector<EventId> events)
      : rows_(rows), events_(std::move(events)), kept_(events_.size(), rows.lanes()) {}

  std::uint32_t events() const override { return rows_.events(); }
  std::uint32_t lanes() const override { return rows_.lanes(); }
  RowStretch from(std::uint32_t first) override {
    const RowStretch stretch = rows_.from(first);
    const std::size_t width = row_width(lanes());
    for (; next_ < events_.size() && events_[next_].index() < first + stretch.count; ++next_) {
      const double* const row = stretch.rows + stretch.row(events_[next_].index() - first) * width;
      for (std::uint32_t lane = 0; lane < lanes(); ++lane)
        kept_.at(EventId(static_cast<std::uint32_t>(next_)), lane) = Seconds(row[lane]);
    }
    return stretch;
  }

  const Durations& kept() const { return kept_; }

 private:
  DurationRows& rows_;
  std::vector<EventId> events_;
  std::size_t next_ = 0;
  Durations kept_;
};

// The number of replicas that compute together. Other replicas meet only at reductions at the end of the
// step, so the longest of separate replicas is as long as the step.
std::uint32_t computing_together(const Order& order) {
  std::uint32_t together = 1;
  for (const Event& event : order.events())
    if (event.computes()) together = std::lcm(together, event.joined_replicas);
  return together;
}

// The first and the last computing event of each rank.
template <class Span>
std::vector<Span> computing_spans(const Order& order) {
  std::vector<Span> spans(order.rank_count());
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    if (!event.computes()) continue;
    Span& span = spans[event.rank.index()];
    if (!span.first) span.first = EventId(index);
    span.last = EventId(index);
  }
  return spans;
}

// The first and last events of all ranks, ascending and unique.
template <class Span>
std::vector<EventId> ends_of(const std::vector<Span>& spans) {
  std::vector<EventId> events;
  for (const Span& span : spans) {
    if (!span.first) continue;
    events.push_back(*span.first);
    if (*span.last != *span.first) events.push_back(*span.last);
  }
  std::sort(events.begin(), events.end());
  return events;
}

EventId place_among(const std::vector<EventId>& events, EventId event) {
  return EventId(
      static_cast<std::uint32_t>(std::lower_bound(events.begin(), events.end(), event) - events.begin()));
}

// `free` may have one lane for all.
const FreeLane& free_lane(std::span<const FreeLane> free, std::size_t lane) {
  return free[free.size() == 1 ? 0 : lane];
}

}  // namespace

LaneEvaluator::LaneEvaluator(const Derived& derived) : LaneEvaluator(derived, LongestPath(derived.order)) {}

LaneEvaluator::LaneEvaluator(const Derived& derived, const LongestPath& path)
    : LaneEvaluator(derived, path, computing_spans<Span>(derived.order)) {}

LaneEvaluator::LaneEvaluator(const Derived& derived, const LongestPath& path, std::vector<Span> spans)
    : longest_path_(path, derived.order, computing_together(derived.order), ends_of(spans)),
      ranks_(std::move(spans)) {
  const std::vector<EventId> watched = ends_of(ranks_);
  for (Span& span : ranks_)
    if (span.first) span = {place_among(watched, *span.first), place_among(watched, *span.last)};
  add_terms(derived);
  if (const auto feeding = feeding_of(derived)) warm_up_.emplace(derived, *feeding);
}

void LaneEvaluator::add_terms(const Derived& derived) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  for (std::uint32_t index = 0; feeding && index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (is_transposed_forward(derived, feeding, event)) terms_.push_back({index, event.rank.index()});
  }
}

std::vector<FreeLane> LaneEvaluator::free_lanes(DurationRows& free, LiveEnds& ends) const {
  ensure(spills(), "without transposed work nothing is free");
  KeptRows kept(free, warm_up_->events());
  const std::vector<Seconds> last = longest_path_.run(kept, ends).last;
  std::vector<std::vector<Seconds>> slack = warm_up_->slack(kept.kept());
  std::vector<FreeLane> lanes(last.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = {last[lane], std::move(slack[lane])};
  return lanes;
}

std::vector<LaneFigures> LaneEvaluator::figures(DurationRows& counted, std::span<const FreeLane> free,
                                                LiveEnds& ends) const {
  const std::uint32_t lanes = counted.lanes();
  ensure(spills() ? free.size() == lanes || free.size() == 1 : free.empty(),
         "transposed work is free on one lane or on each");
  AlignedVector<double> encoders(terms_.empty() ? 0 : ranks_.size() * row_width(lanes));
  SummedRows summed(counted, terms_, encoders);
  const PathEnding path = longest_path_.run(summed, ends, fastest_loops(), Busy::Counted);
  std::vector<LaneFigures> figures(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    figures[lane].end = path.last[lane];
    figures[lane].busy.reserve(ranks_.size());
    if (spills()) figures[lane].spill = {{path.last[lane], free_lane(free, lane).end}};
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      RankShare share = share_of(rank, lane, encoders, path);
      if (spills()) share.warm_up_slack = free_lane(free, lane).slack[rank];
      add(share, figures[lane]);
    }
  }
  return figures;
}

// The rank's share without its slack.
RankShare LaneEvaluator::share_of(std::uint32_t rank, std::uint32_t lane,
                                  const AlignedVector<double>& encoders, const PathEnding& path) const {
  const Span& span = ranks_[rank];
  if (!span.first) return {};
  const std::size_t width = row_width(path.start.lanes());
  const std::size_t at = rank * width + lane;
  return {Seconds(path.busy[at]), path.start.at(*span.first, lane), path.end.at(*span.last, lane),
          Seconds(encoders.empty() ? 0 : encoders[at]), Seconds()};
}

}  // namespace spillway
