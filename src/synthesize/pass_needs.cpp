#include "synthesize/pass_needs.h"

#include <algorithm>

namespace spillway {
namespace {

Seconds mean_of_lanes(const Durations& durations, std::uint32_t event) {
  Seconds sum;
  for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) sum += durations.at(EventId(event), lane);
  return sum / durations.lanes();
}

// Adds a need, or lengthens the delay of the same pass.
void note_need(std::vector<PassNeed>& needs, PassNeed one) {
  const auto known = std::ranges::find(needs, one.pass, &PassNeed::pass);
  if (known == needs.end())
    needs.push_back(one);
  else
    known->delay = std::max(known->delay, one.delay);
}

// Events are numbered topologically, so the needs of everything before an event are complete.
class NeedsByEvent {
 public:
  NeedsByEvent(const PassGraph& graph, const Durations& durations)
      : graph_(graph),
        durations_(durations),
        pass_(durations.events(), kNoPass),
        behind_(durations.events()) {}

  PassNeeds all() {
    const auto events = static_cast<std::uint32_t>(durations_.events());
    for (std::uint32_t event = 0; event < events; ++event) add_event(event);
    needs_.end.resize(needs_.event.size());
    needs_.tail.resize(needs_.event.size());
    const std::vector<Seconds> after = tails(false), beyond = tails(true);
    for (std::size_t pass = 0; pass < needs_.event.size(); ++pass) {
      needs_.end[pass] = after[needs_.event[pass]];
      needs_.tail[pass] = beyond[needs_.event[pass]];
    }
    return std::move(needs_);
  }

 private:
  const Event& event_of(std::uint32_t event) const { return graph_.derived().order.event(EventId(event)); }

  void add_event(std::uint32_t event) {
    std::vector<PassNeed> own;
    for (const std::uint32_t needed : graph_.needs_of(event)) {
      if (pass_[needed] != kNoPass) {
        note_need(own, {pass_[needed], Seconds()});
        continue;
      }
      for (const PassNeed& one : behind_[needed])
        note_need(own, {one.pass, one.delay + mean_of_lanes(durations_, needed)});
    }
    if (event_of(event).computes()) {
      pass_[event] = static_cast<std::uint32_t>(needs_.event.size());
      needs_.event.push_back(event);
      needs_.rank.push_back(event_of(event).rank);
      needs_.duration.push_back(mean_of_lanes(durations_, event));
      needs_.needs.push_back(std::move(own));
    } else if (!event_of(event).in_group() && event_of(event).kind != EventKind::StepBarrier) {
      behind_[event] = std::move(own);
    }
  }

  // The longest chain behind each event; over other passes, or between it and the end of the step alone.
  std::vector<Seconds> tails(bool over_passes) const {
    std::vector<Seconds> tail(durations_.events());
    for (auto event = static_cast<std::uint32_t>(tail.size()); event-- > 0;) {
      if (!over_passes && pass_[event] != kNoPass) continue;
      const Seconds own = tail[event] + mean_of_lanes(durations_, event);
      for (const std::uint32_t needed : graph_.needs_of(event)) tail[needed] = std::max(tail[needed], own);
    }
    return tail;
  }

  const PassGraph& graph_;
  const Durations& durations_;
  std::vector<std::uint32_t> pass_;            // by event
  std::vector<std::vector<PassNeed>> behind_;  // by event between passes
  PassNeeds needs_;
};

}  // namespace

PassNeeds pass_needs(const PassGraph& graph, const Durations& durations) {
  return NeedsByEvent(graph, durations).all();
}

}  // namespace spillway
