#include "derive/assemble.h"

#include "derive/compute_events.h"
#include "derive/dependencies.h"
#include "derive/input_edges.h"
#include "derive/sequence.h"
#include "derive/step_events.h"

namespace spillway {
namespace {

OrderBuilder reserved(const OrderParts& parts) {
  OrderBuilder builder(parts.ranks());
  std::size_t slots = 0;
  for (std::size_t region = 0; region < parts.regions(); ++region)
    slots += std::size_t{parts.paths.length(region)} * parts.microbatches();
  builder.reserve(5 * slots + parts.microbatches(), 11 * slots);
  return builder;
}

// What depends on what; then the ranks' sequences; then the end of the step.
class Assembly {
 public:
  explicit Assembly(const OrderParts& parts)
      : parts_(parts),
        builder_(reserved(parts)),
        events_(parts, builder_),
        dependencies_(parts, events_, builder_) {}

  std::variant<Order, Cycle> run() && {
    add_sequences();
    add_step_end();
    return std::move(builder_).build();
  }

 private:
  Sequences sequences() const {
    const bool in_place = parts_.options.inner == InnerOrder::InPlace;
    if (formula_suffices(parts_.schedule) || in_place) return sequences_by_formula(parts_, events_);
    return sequences_by_list(parts_, events_, builder_.events(), dependencies_.waits());
  }

  // One computing event after the other on each rank; where transfers block, the sender goes on only after
  // what it sends, one transfer after the other.
  void add_sequences() {
    const bool blocking = parts_.options.point_to_point == PointToPoint::Blocking;
    const Sequences all = sequences();
    const InputEdges input(parts_, events_, dependencies_, all, builder_);
    std::vector<std::uint32_t> sent;
    for (const auto& sequence : all) {
      for (std::size_t i = 0; i < sequence.size(); ++i) {
        if (blocking) input.sent_after(sequence[i], sent);
        const std::uint32_t last = one_by_one(sequence[i], sent);
        if (i + 1 < sequence.size()) builder_.edge(last, sequence[i + 1], EdgeKind::Sequence);
      }
    }
  }

  // Of what leaves a rank behind an event each transfer waits for the one before. Returns the last; the event
  // where nothing leaves.
  std::uint32_t one_by_one(std::uint32_t event, const std::vector<std::uint32_t>& sent) {
    std::uint32_t last = event;
    for (const std::uint32_t each : sent) {
      if (!builder_.events()[each].transfers()) continue;
      if (last != event) builder_.edge(last, each, EdgeKind::Sequence);
      last = each;
    }
    return last;
  }

  void add_step_end() {
    std::vector<std::uint32_t> reduces;
    for (const Reduce& reduce : parts_.collectives.reduces) add_reduces(reduce, reduces);
    Event barrier{EventKind::StepBarrier};
    barrier.joined_replicas = parts_.options.pipeline.replicas;
    const std::uint32_t end = builder_.add(barrier);
    for (std::uint32_t id : reduces) builder_.edge(id, end, EdgeKind::Sequence);
    for (std::uint32_t id : dependencies_.open_ends()) builder_.edge(id, end, EdgeKind::Sequence);
  }

  // The copies that accumulate gradients into one reduction.
  std::vector<StageId> reduced(const Reduce& reduce, std::uint32_t index) const {
    const std::size_t region = reduce.region.index();
    if (!parts_.replicated(region) || reduce.group == Group::ReplicaGroup)
      return parts_.paths.copies(region, index);
    return {parts_.paths.back(region, 0)[index]};
  }

  // Every backward of a stage, and of its copy on another rank, accumulates into its reduce; a transposed
  // region has one reduce for all its copies, or for the one that runs its backwards.
  void add_reduces(const Reduce& reduce, std::vector<std::uint32_t>& reduces) {
    const std::size_t region = reduce.region.index();
    for (std::uint32_t index = 0; index < parts_.paths.length(region); ++index) {
      const std::uint32_t id = builder_.add(
          reduce_event(reduce, parts_.stages, reduced(reduce, index), parts_.options.pipeline.replicas));
      reduces.push_back(id);
      for (std::uint32_t m = 0; m < parts_.microbatches(); ++m) {
        const StageId stage = parts_.paths.back(region, m)[index];
        builder_.edge(events_.last_backward(stage, m), id, EdgeKind::Accumulate);
      }
    }
  }

  const OrderParts& parts_;
  OrderBuilder builder_;
  ComputeEvents events_;
  Dependencies dependencies_;
};

}  // namespace

std::variant<Order, Cycle> assemble_order(const OrderParts& parts) {
  return Assembly(parts).run();
}

}  // namespace spillway
