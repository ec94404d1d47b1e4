#include "timing/path_steps.h"

#include <utility>

namespace spillway {
namespace {

std::vector<std::uint32_t> reader_counts(const EssentialEdges& edges) {
  std::vector<std::uint32_t> readers(edges.first.size() - 1, 0);
  for (const std::uint32_t predecessor : edges.predecessors) ++readers[predecessor];
  return readers;
}

using Flags = std::vector<std::uint8_t>;

// Flags by event. Of the events that another waits for at most one is folded; an event with a folded
// predecessor is not folded itself.
Flags folded_events(const Order& order, const EssentialEdges& edges) {
  const std::vector<std::uint32_t> readers = reader_counts(edges);
  Flags folded(readers.size()), folds(readers.size());
  const auto between = [&](std::uint32_t event) {
    const Event& it = order.event(EventId(event));
    return readers[event] == 1 && !it.computes() && it.joined_replicas == 1 && !folds[event] &&
           edges.before(event).size() == 1;
  };
  for (std::uint32_t event = 0; event < readers.size(); ++event)
    for (const std::uint32_t before : edges.before(event)) {
      if (!between(before)) continue;
      folded[before] = folds[event] = true;
      break;
    }
  return folded;
}

class StepMaker {
 public:
  StepMaker(const EssentialEdges& edges, Flags folded) : edges_(edges), folded_(std::move(folded)) {}

  // `sum` has each event's row of sums; there are `sums` rows.
  PathSteps make(const std::vector<std::uint32_t>& sum, std::uint32_t sums) && {
    find_last_readers();
    steps_ = {{}, std::vector<std::uint32_t>(sum.size(), kFolded), kZeroRow + 1, sums};
    for (std::uint32_t event = 0; event < sum.size(); ++event) {
      if (folded_[event]) continue;
      PathStep step = waits_of(event);
      step.sum = sum[event];
      take_row(event);
      step.own = steps_.row[event];
      steps_.steps.push_back(step);
    }
    return std::move(steps_);
  }

 private:
  // The event whose end `before` stands for.
  std::uint32_t end_of(std::uint32_t before) const {
    return folded_[before] ? edges_.before(before).front() : before;
  }

  // Finds, by event, the last event that waits for its end; the event itself if none does.
  void find_last_readers() {
    last_.resize(folded_.size());
    for (std::uint32_t event = 0; event < last_.size(); ++event) {
      last_[event] = event;
      if (folded_[event]) continue;
      for (const std::uint32_t before : edges_.before(event)) last_[end_of(before)] = event;
    }
  }

  // The step without the event's own rows.
  PathStep waits_of(std::uint32_t event) const {
    PathStep step{event, 0, kZeroRow, kZeroRow, kNoVia, 0};
    const auto waits = edges_.before(event);
    if (waits.empty() || waits.size() > 2) return step;
    const bool swapped = folded_[waits.front()];
    const std::uint32_t second = swapped ? waits.front() : waits.back();
    step.second = steps_.row[end_of(second)];
    if (folded_[second]) step.via = second;
    const std::uint32_t first = swapped ? waits.back() : waits.front();
    step.first = first != second ? steps_.row[first] : folded_[second] ? kZeroRow : step.second;
    return step;
  }

  // The event may reuse the row of an end of which it is the last reader.
  void take_row(std::uint32_t event) {
    for (const std::uint32_t before : edges_.before(event)) {
      const std::uint32_t end = end_of(before);
      if (last_[end] != event) continue;
      free_.push_back(steps_.row[end]);
      last_[end] = end;  // freed once, even if two edges lead here
    }
    if (free_.empty()) free_.push_back(steps_.rows++);
    steps_.row[event] = free_.back();
    if (last_[event] != event) free_.pop_back();
  }

  const EssentialEdges& edges_;
  Flags folded_;
  std::vector<std::uint32_t> last_, free_;
  PathSteps steps_;
};

}  // namespace

PathSteps folded_steps(const Order& order, const EssentialEdges& edges) {
  std::vector<std::uint32_t> sum;
  sum.reserve(order.event_count());
  for (const Event& event : order.events())
    sum.push_back(event.computes() ? event.rank.index() : order.rank_count());
  return StepMaker(edges, folded_events(order, edges)).make(sum, order.rank_count() + 1);
}

PathSteps single_steps(const EssentialEdges& edges, const PathSteps& folded) {
  std::vector<std::uint32_t> sum(folded.row.size(), folded.sums - 1);
  for (const PathStep& step : folded.steps) sum[step.event] = step.sum;
  return StepMaker(edges, Flags(sum.size())).make(sum, folded.sums);
}

}  // namespace spillway
