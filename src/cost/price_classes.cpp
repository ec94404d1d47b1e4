#include "cost/price_classes.h"

#include <algorithm>
#include <map>

#include "derive/feeding.h"

namespace spillway {
namespace {

// Rows of sixteen lanes take so many events into the nearer half of a second-level cache.
constexpr std::uint32_t kFewest = 256, kMost = 4096;
// Events of a class in a stretch, where that is not too many in all: what they have in common is looked up
// once for so many.
constexpr std::uint32_t kOfEachClass = 8;

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

}  // namespace

PriceClasses::PriceClasses(const Derived& derived) {
  classify(derived);
  stretch_events_ = std::clamp(kOfEachClass * count(), kFewest, kMost);
  const auto all = static_cast<std::uint32_t>(class_of_.size());
  events_.resize(all, EventId(0));
  microbatches_.resize(all, MicrobatchId(0));
  std::vector<std::uint32_t> run_of(count(), kNone);
  for (std::uint32_t first = 0; first < all; first += stretch_events_)
    add_stretch(derived.order, first, std::min(first + stretch_events_, all), run_of);
  first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
}

// What happens to a stage in one way is mostly of one class, so that the last one found there is looked at
// first.
void PriceClasses::classify(const Derived& derived) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(EventKind::StepBarrier) + 1, kComms = 4;
  const std::optional<Feeding> feeding = feeding_of(derived);
  std::map<Event, std::uint32_t> known;
  const auto events = derived.order.events();
  std::vector<std::uint32_t> recent(derived.stages.size() * kKinds * kComms, kNone);
  class_of_.reserve(events.size());
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const Event event = of_any_microbatch(events[index]);
    const std::size_t way =
        static_cast<std::size_t>(event.kind) * kComms + static_cast<std::size_t>(event.comm);
    std::uint32_t& last = recent[event.stage.index() * kKinds * kComms + way];
    if (last == kNone || of_any_microbatch(events[classes_[last].first.index()]) != event) {
      const auto [at, is_new] = known.try_emplace(event, count());
      if (is_new)
        classes_.push_back({EventId(index), is_transposed_work(derived, feeding, events[index]), 0});
      last = at->second;
    }
    ++classes_[last].events;
    class_of_.push_back(last);
  }
}

// `run_of`, by class, is none before and after.
void PriceClasses::add_stretch(const Order& order, std::uint32_t first, std::uint32_t end,
                               std::vector<std::uint32_t>& run_of) {
  const std::size_t first_run = runs_.size();
  first_run_.push_back(static_cast<std::uint32_t>(first_run));
  for (std::uint32_t event = first; event < end; ++event) {
    std::uint32_t& run = run_of[class_of_[event]];
    if (run == kNone) {
      run = static_cast<std::uint32_t>(runs_.size());
      runs_.push_back({class_of_[event], 0, 0});
    }
    ++runs_[run].count;
  }
  std::uint32_t place = first;
  for (std::size_t run = first_run; run < runs_.size(); ++run)
    runs_[run].first = place, place += runs_[run].count, runs_[run].count = 0;
  for (std::uint32_t event = first; event < end; ++event) {
    Run& run = runs_[run_of[class_of_[event]]];
    events_[run.first + run.count] = EventId(event);
    microbatches_[run.first + run.count++] = order.event(EventId(event)).microbatch;
  }
  for (std::size_t run = first_run; run < runs_.size(); ++run) run_of[runs_[run].price_class] = kNone;
}

std::span<const PriceClasses::Run> PriceClasses::runs(std::uint32_t stretch) const {
  return std::span(runs_).subspan(first_run_[stretch], first_run_[stretch + 1] - first_run_[stretch]);
}

}  // namespace spillway
