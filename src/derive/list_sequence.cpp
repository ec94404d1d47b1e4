// The order of computing events on each rank if it does not follow from a skeleton. With a transpose that is
// not the input, or with several runs, the body's events wait for microbatches in other regions. A list
// schedule (schedule/list_schedule.h) of the expected times (body_times.h) then gives the body. Listed:
//   - a free rank prefers the microbatch that entered first, and of that the event nearest to its end; it
//     runs weight halves only when nothing else is ready;
//   - a stage runs its microbatches in their order, forwards and backwards alike;
//   - at most kWindow P microbatches are under way in a stage. 1F1B has at most P, but here the loss is
//     further away than one pipeline, and the larger window keeps the ranks busy meanwhile;
//   - under gpipe, and other skeletons with all forwards first, a stage runs every forward before its first
//     backward, without this window.
// Kept: each rank runs its pipelined passes in the skeleton's order, and transposed passes when they are
// ready. Turns are in turns.cpp. The list schedule simulates a run, so its order is acyclic.
//
// Freezing deletes events and moves none (paper section 3.1, "The same schedule, two footprints"). A list
// schedule keeps this property only if it ignores freezing. So it is made for the model with every region
// trained, and superfluous events are then deleted.
#include <algorithm>

#include "derive/body_times.h"
#include "derive/sequence.h"
#include "schedule/list_schedule.h"

namespace spillway {
namespace {

constexpr std::uint32_t kWindow = 2;

bool forwards_first(const Skeleton& skeleton) {
  return traits_of(skeleton).weaving == Weaving::ForwardsFirst;
}

// The body as tasks for the list schedule: every computing event except those of transposed inputs.
// Contract: every region is trained.
class BodyTasks {
 public:
  BodyTasks(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
            const Waits& waits)
      : parts_(parts), events_(events), all_(all), times_(parts), after_(all.size()) {
    for (const auto& [from, to] : waits) after_[to].push_back(from);
    if (parts.options.inner == InnerOrder::Kept) {
      for (const auto& sequence : sequences_by_skeleton(parts, events)) chain(sequence);
      return;
    }
    for (std::size_t region = parts_.inputs(); region < parts.regions(); ++region) limit(region);
  }

  Sequences in_order() const {
    std::vector<std::uint32_t> events, task_of(all_.size(), kNoEvent);
    for (std::uint32_t event = 0; event < all_.size(); ++event) {
      if (!in_body(all_[event])) continue;
      task_of[event] = static_cast<std::uint32_t>(events.size());
      events.push_back(event);
    }
    Tasks tasks;
    tasks.transfer = times_.transfer();
    for (std::uint32_t event : events) add(tasks, event, task_of);
    Sequences sequences = list_schedule(tasks, parts_.ranks());
    for (auto& sequence : sequences) {
      for (std::uint32_t& task : sequence) task = events[task];
    }
    return sequences;
  }

 private:
  bool in_body(const Event& event) const { return event.computes() && !parts_.is_input(event.stage); }

  void add(Tasks& tasks, std::uint32_t event, const std::vector<std::uint32_t>& task_of) const {
    std::vector<std::uint32_t> after;
    for (std::uint32_t before : after_[event]) {
      if (task_of[before] != kNoEvent) after.push_back(task_of[before]);
    }
    tasks.rank.push_back(all_[event].rank);
    tasks.duration.push_back(times_.of(all_[event]));
    tasks.priority.push_back(priority(all_[event]));
    tasks.after.add(after);
  }

  void chain(const std::vector<std::uint32_t>& sequence) {
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i) after_[sequence[i + 1]].push_back(sequence[i]);
  }

  // Sorts by whether the event can wait, then by microbatch, then by distance to the microbatch's end.
  std::uint64_t priority(const Event& event) const {
    const bool can_wait = event.kind == EventKind::BackwardWeight, back = event.kind != EventKind::Forward;
    const std::uint64_t stages = parts_.stages.size();
    const Stage& stage = parts_.stage(event.stage);
    const std::uint64_t depth = stage.region.index() * stages + stage.index;
    const std::uint64_t to_go = back ? depth : 2 * parts_.regions() * stages - depth;
    return (std::uint64_t{can_wait} << 63) + (std::uint64_t{event.microbatch.index()} << 32) + to_go;
  }

  // Adds the order of a stage's microbatches, and the limit of its forwards ahead.
  void limit(std::size_t region) {
    const bool held_back = forwards_first(parts_.schedule.skeletons[region]);
    std::vector<std::vector<std::uint32_t>> passed(parts_.stages.size());  // by stage: microbatches
    for (std::uint32_t m = 0; m < parts_.microbatches(); ++m) {
      for (StageId stage : parts_.paths.of(region, m)) passed[stage.index()].push_back(m);
    }
    for (std::uint32_t id = 0; id < passed.size(); ++id) limit(StageId(id), passed[id], held_back);
  }

  void limit(StageId stage, const std::vector<std::uint32_t>& passed, bool held_back) {
    const std::size_t window = std::size_t{kWindow} * parts_.ranks();
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const std::uint32_t forward = events_.forward(stage, passed[i]);
      if (held_back)
        after_[events_.backward(stage, passed[i])].push_back(events_.forward(stage, passed.back()));
      if (i > 0) {
        after_[forward].push_back(events_.forward(stage, passed[i - 1]));
        after_[events_.backward(stage, passed[i])].push_back(events_.backward(stage, passed[i - 1]));
      }
      if (!held_back && !any_held_back() && i >= window)
        after_[forward].push_back(events_.last_backward(stage, passed[i - window]));
    }
  }

  // True if a region runs every forward before its first backward. It delays every backward after it, so no
  // other region's forwards may wait for backwards.
  bool any_held_back() const {
    return std::any_of(parts_.schedule.skeletons.begin(), parts_.schedule.skeletons.end(), forwards_first);
  }

  const OrderParts& parts_;
  const ComputeEvents& events_;
  std::span<const Event> all_;
  BodyTimes times_;
  std::vector<std::vector<std::uint32_t>> after_;  // by event
};

// Lemma 1's gates if every region is trainable.
std::vector<BackwardFootprint> open_gates(const OrderParts& parts) {
  std::vector<BackwardFootprint> gates(parts.regions(), {.sends = true, .receives = true, .reduces = true});
  for (std::size_t input = 0; input < std::max<std::size_t>(parts.inputs(), 1); ++input)
    gates[input].sends = false;
  return gates;
}

Collectives with_backwards(const OrderParts& parts) {
  Collectives collectives = parts.collectives;
  for (Seam& seam : collectives.seams) {
    seam.backward = seam_comms(parts.placement[seam.upstream.index()].layout,
                               parts.placement[seam.downstream.index()].layout)
                        .backward;
  }
  return collectives;
}

// The event of this order for the event `trained` of the order with every region trained; kNoEvent if it is
// deleted.
std::uint32_t own_event(const ComputeEvents& events, const Event& trained) {
  const std::uint32_t m = trained.microbatch.index();
  if (trained.kind == EventKind::Forward || trained.kind == EventKind::ForwardBackward)
    return events.forward(trained.stage, m);
  if (trained.kind == EventKind::BackwardWeight) return events.weight_half(trained.stage, m);
  return events.backward(trained.stage, m);
}

// Contract: every region is trained.
Sequences body_of(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                  const Waits& waits) {
  if (parts.options.inner == InnerOrder::Turns) return sequences_in_turns(parts, events, all, waits);
  return BodyTasks(parts, events, all, waits).in_order();
}

// The body of the same schedule with every region trained, as events of these parts.
Sequences trained_body(const OrderParts& parts, const ComputeEvents& own) {
  const auto gates = open_gates(parts);
  const Collectives collectives = with_backwards(parts);
  const OrderParts trained{parts.model, parts.schedule, gates,       parts.stages, parts.placement,
                           collectives, parts.options,  parts.paths, parts.bodies};
  OrderBuilder builder(parts.ranks());
  const ComputeEvents events(trained, builder);
  const Dependencies dependencies(trained, events, builder);
  Sequences body = body_of(trained, events, builder.events(), dependencies.waits());
  for (auto& sequence : body) {
    for (std::uint32_t& id : sequence) id = own_event(own, builder.events()[id]);
    std::erase(sequence, kNoEvent);
  }
  return body;
}

}  // namespace

Sequences sequences_by_list(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                            const Waits& waits) {
  if (parts.footprints != open_gates(parts)) return enclosed(parts, events, trained_body(parts, events));
  return enclosed(parts, events, body_of(parts, events, all, waits));
}

}  // namespace spillway
