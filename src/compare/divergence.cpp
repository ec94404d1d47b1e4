#include "compare/divergence.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "compare/event_keys.h"
#include "report/step/activity.h"

namespace spillway {
namespace {

// "forward of microbatch 3 in stage 1 of llm".
std::string words_for(const Outline& run, const Event& event) {
  std::string words(to_string(activity_of(run, event)));
  if (event.kind == EventKind::StepBarrier) return "end of the step";
  if (!event.in_group()) words += " of microbatch " + std::to_string(event.microbatch.index() + 1);
  words += (event.kind == EventKind::Collective ? " from stage " : " in stage ") +
           std::to_string(run.stage(event.stage).index) + " of " + run.region_of(event.stage).name;
  if (event.kind == EventKind::Collective)
    words += " to stage " + std::to_string(run.stage(event.peer_stage).index) + " of " +
             run.region_of(event.peer_stage).name;
  return words;
}

// Where an event of one side is on the other, and the earliest that differs.
class Parting {
 public:
  Parting(const KeyedEvents& a, const KeyedEvents& b, Seconds longer) : a_(a), b_(b), longer_(longer) {}

  std::optional<Divergence> find() {
    const std::uint32_t lanes = std::min(a_.lanes(), b_.lanes());
    for (std::uint32_t event = 0; event < a_.count(); ++event) {
      const std::uint32_t there = b_.find(a_.key(event));
      for (std::uint32_t lane = 0; lane < lanes; ++lane) hold(event, there, lane);
    }
    for (std::uint32_t event = 0; event < b_.count(); ++event)
      if (a_.find(b_.key(event)) == KeyedEvents::kNone)
        for (std::uint32_t lane = 0; lane < lanes; ++lane) hold_alone(event, lane);
    return std::move(first_);
  }

 private:
  bool differ(const EventTimes& a, const EventTimes& b) const {
    const auto apart = [&](Seconds x, Seconds y) {
      return std::abs((x - y).value()) > kRoundingShare * longer_.value();
    };
    return apart(a.start, b.start) || apart(a.end, b.end);
  }

  bool is_first(const EventTimes& times) {
    const auto at = std::tuple(times.start, times.end);
    if (first_ && at >= at_) return false;
    at_ = at;
    return true;
  }

  void hold(std::uint32_t event, std::uint32_t there, std::uint32_t lane) {
    const EventTimes times = a_.times(event, lane);
    if (there != KeyedEvents::kNone && !differ(times, b_.times(there, lane))) return;
    if (!is_first(times)) return;
    const std::uint32_t elsewhere = there == KeyedEvents::kNone ? b_.find_on_any_rank(a_.key(event)) : there;
    first_ =
        Divergence{words_for(a_.outline(), a_.event(event)), ReplicaId(lane), times,
                   elsewhere == KeyedEvents::kNone ? std::nullopt : std::optional(b_.times(elsewhere, lane))};
  }

  void hold_alone(std::uint32_t event, std::uint32_t lane) {
    const EventTimes times = b_.times(event, lane);
    if (!is_first(times)) return;
    const std::uint32_t elsewhere = a_.find_on_any_rank(b_.key(event));
    first_ = Divergence{
        words_for(b_.outline(), b_.event(event)), ReplicaId(lane),
        elsewhere == KeyedEvents::kNone ? std::nullopt : std::optional(a_.times(elsewhere, lane)), times};
  }

  const KeyedEvents& a_;
  const KeyedEvents& b_;
  Seconds longer_;
  std::optional<Divergence> first_;
  std::tuple<Seconds, Seconds> at_;
};

}  // namespace

std::optional<Divergence> first_divergence(const SideEvents& a, const SideEvents& b) {
  const RegionNumbers regions(*a.derived, *b.derived);
  const KeyedEvents events(a, regions), others(b, regions);
  return Parting(events, others, std::max(a.timeline.makespan(), b.timeline.makespan())).find();
}

}  // namespace spillway
