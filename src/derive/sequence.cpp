// The order of computing events on each rank.
//
// One run of Sharded regions, transposed input or not: prefix + body + suffix. The body is the skeleton's own
// order, unchanged; the prefix holds the encodes the rank owns, in microbatch order, and fills the warm-up
// bubble; the suffix holds their backwards and fills the cool-down.
//
// A transpose that is not the input (or several runs) cannot be put down by a formula: its events wait for a
// microbatch that is under way. There the same prefix and suffix enclose a body that comes out of a list
// schedule (schedule/list_schedule.h) in which a layer's forward and either of its gradients last one unit,
// whatever is trained and whatever it really costs:
//   - a free rank prefers the microbatch that entered first, of that what is nearest to leaving, and the
//   weights'
//     halves only when nothing else is ready;
//   - a stage runs its microbatches in their order, forwards and backwards alike;
//   - no more than kWindow P microbatches are under way in a stage, as 1F1B would have no more than P: the
//   loss is
//     further away than one pipeline, and a full window keeps the ranks busy meanwhile;
//   - under gpipe a stage runs every forward before its first backward, with no such window.
// What is frozen is left out of the order and does not change it: see Assembly::sequences.
// A schedule of a real, if imagined, run is acyclic, and so is the order read off it.
#include <algorithm>

#include "derive/assemble.h"
#include "schedule/list_schedule.h"

namespace spillway {
namespace {

constexpr std::uint32_t kWindow = 2;

enum class Wing { Prefix, Suffix };

// The transposed input region's forwards or backwards that each rank owns, in microbatch order.
Sequences owned(const Plan& plan, const ComputeEvents& events, Wing wing) {
  Sequences owned(plan.ranks());
  if (!plan.replicated(0)) return owned;
  for (std::uint32_t m = 0; m < plan.microbatches(); ++m) {
    const StageId stage = plan.paths.of(0, m).front();
    const std::uint32_t event = wing == Wing::Prefix ? events.forward(stage, m) : events.backward(stage, m);
    if (event != kNoEvent) owned[plan.stage(stage).rank.index()].push_back(event);
  }
  return owned;
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Sequences enclosed(const Plan& plan, const ComputeEvents& events, const Sequences& body) {
  Sequences sequences = owned(plan, events, Wing::Prefix);
  const Sequences suffix = owned(plan, events, Wing::Suffix);
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
    append(sequences[rank], body[rank]);
    append(sequences[rank], suffix[rank]);
  }
  return sequences;
}

std::uint32_t event_of(const ComputeEvents& events, Action action, StageId stage, std::uint32_t m) {
  switch (action) {
    case Action::Forward:
    case Action::ForwardBackward:
      return events.forward(stage, m);
    case Action::Backward:
    case Action::BackwardInput:
      return events.backward(stage, m);
    case Action::BackwardWeight:
      return events.weight_half(stage, m);
  }
  throw ContractBreach("unknown action");
}

void append_body(const Plan& plan, const ComputeEvents& events, const Body& body, Sequences& sequences) {
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
    for (const Slot& slot : body.orders[rank]) {
      const StageId stage = plan.stage_of_slot(body.run, rank, slot.chunk);
      const std::uint32_t event = event_of(events, slot.action, stage, slot.microbatch.index());
      if (event != kNoEvent) sequences[rank].push_back(event);
    }
  }
}

// The body as tasks for the list schedule: every computing event but the transposed input's.
class BodyTasks {
 public:
  BodyTasks(const Plan& plan, const ComputeEvents& events, std::span<const Event> computing,
            const Waits& waits)
      : plan_(plan), events_(events), computing_(computing), after_(computing.size()) {
    for (const auto& [from, to] : waits) after_[to].push_back(from);
    for (std::size_t region = first_region(); region < plan.regions(); ++region) limit(region);
  }

  Sequences in_order() const {
    std::vector<std::uint32_t> events, task_of(computing_.size(), kNoEvent);
    for (std::uint32_t event = 0; event < computing_.size(); ++event) {
      if (!in_body(event)) continue;
      task_of[event] = static_cast<std::uint32_t>(events.size());
      events.push_back(event);
    }
    Tasks tasks;
    for (std::uint32_t event : events) add(tasks, event, task_of);
    Sequences sequences = list_schedule(tasks, plan_.ranks());
    for (auto& sequence : sequences) {
      for (std::uint32_t& task : sequence) task = events[task];
    }
    return sequences;
  }

 private:
  std::size_t first_region() const { return plan_.replicated(0) ? 1 : 0; }
  std::size_t region_of(std::uint32_t event) const {
    return plan_.stage(computing_[event].stage).region.index();
  }
  bool in_body(std::uint32_t event) const { return region_of(event) >= first_region(); }

  void add(Tasks& tasks, std::uint32_t event, const std::vector<std::uint32_t>& task_of) const {
    std::vector<std::uint32_t> after;
    for (std::uint32_t before : after_[event]) {
      if (task_of[before] != kNoEvent) after.push_back(task_of[before]);
    }
    tasks.rank.push_back(computing_[event].rank);
    tasks.duration.push_back(duration(computing_[event]));
    tasks.priority.push_back(priority(computing_[event]));
    tasks.after.add(after);
  }

  Seconds duration(const Event& event) const {
    const std::uint32_t layers = plan_.stage(event.stage).layers.size();
    return Seconds(event.kind == EventKind::Backward ? 2 * layers : layers);
  }

  std::uint64_t priority(const Event& event) const {
    const bool can_wait = event.kind == EventKind::BackwardWeight, back = event.kind != EventKind::Forward;
    const std::uint64_t stages = plan_.stages.size();
    const Stage& stage = plan_.stage(event.stage);
    const std::uint64_t depth = stage.region.index() * stages + stage.index;
    const std::uint64_t to_go = back ? depth : 2 * plan_.regions() * stages - depth;
    return (std::uint64_t{can_wait} << 63) + (std::uint64_t{event.microbatch.index()} << 32) + to_go;
  }

  // The order of a stage's own microbatches, and how far its forwards may run ahead.
  void limit(std::size_t region) {
    const bool gpipe = plan_.schedule.skeletons[region] == SkeletonKind::GPipe;
    std::vector<std::vector<std::uint32_t>> passed(plan_.stages.size());  // by stage: microbatches
    for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
      for (StageId stage : plan_.paths.of(region, m)) passed[stage.index()].push_back(m);
    }
    for (std::uint32_t id = 0; id < passed.size(); ++id) limit(StageId(id), passed[id], gpipe);
  }

  void limit(StageId stage, const std::vector<std::uint32_t>& passed, bool gpipe) {
    const std::size_t window = std::size_t{kWindow} * plan_.ranks();
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const std::uint32_t forward = events_.forward(stage, passed[i]);
      if (gpipe) after_[events_.backward(stage, passed[i])].push_back(events_.forward(stage, passed.back()));
      if (i > 0) {
        after_[forward].push_back(events_.forward(stage, passed[i - 1]));
        after_[events_.backward(stage, passed[i])].push_back(events_.backward(stage, passed[i - 1]));
      }
      if (!gpipe && !any_gpipe() && i >= window)
        after_[forward].push_back(events_.last_backward(stage, passed[i - window]));
    }
  }

  // A gpipe region holds back every backward behind it, so no other region's forwards may wait for those.
  bool any_gpipe() const {
    return std::any_of(plan_.schedule.skeletons.begin(), plan_.schedule.skeletons.end(),
                       [](Skeleton skeleton) { return skeleton == SkeletonKind::GPipe; });
  }

  const Plan& plan_;
  const ComputeEvents& events_;
  std::span<const Event> computing_;
  std::vector<std::vector<std::uint32_t>> after_;  // by computing event
};

}  // namespace

Sequences sequences_by_formula(const Plan& plan, const ComputeEvents& events) {
  Sequences body(plan.ranks());
  for (const Body& each : plan.bodies) append_body(plan, events, each, body);
  return enclosed(plan, events, body);
}

Sequences sequences_by_list(const Plan& plan, const ComputeEvents& events, std::span<const Event> computing,
                            const Waits& waits) {
  return enclosed(plan, events, BodyTasks(plan, events, computing, waits).in_order());
}

}  // namespace spillway
