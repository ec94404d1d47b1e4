#include "derive/assemble.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "derive/compute_events.h"
#include "derive/dependencies.h"
#include "derive/sequence.h"
#include "derive/step_events.h"

namespace spillway {
namespace {

// The edges and events that DeriveOptions ask of transposed inputs beyond their place in the ranks'
// sequences: a barrier before the body, encodes made at once, gradients that leave last, parameters that are
// broadcast.
class InputEdges {
 public:
  // Adds the edges and the broadcasts. Views all arguments but the sequences.
  InputEdges(const OrderParts& parts, const ComputeEvents& events, const Dependencies& dependencies,
             const Sequences& sequences, OrderBuilder& builder);

  // Overwrites `sent` with the transfers that leave a rank when a computing event has ended.
  void sent_after(std::uint32_t event, std::vector<std::uint32_t>& sent) const;

 private:
  using Ids = std::vector<std::uint32_t>;

  void gather_first(const Sequences& sequences);
  void encode_at_once(const Ids& sequence, RegionId input);
  void hold_gradients(const Ids& sequence);
  void broadcast(const Sequences& sequences);
  bool in_body(std::uint32_t event) const { return !parts_.is_input(builder_.events()[event].stage); }
  bool crosses(std::uint32_t sent) const {
    return sent != kNoEvent && builder_.events()[sent].rank != builder_.events()[sent].peer_rank;
  }
  bool returns() const { return parts_.options.input.backwards == InputBackwards::Returned; }
  bool is_held(std::uint32_t sent) const;
  std::vector<Ids> batches(const Ids& passes) const;

  const OrderParts& parts_;
  const ComputeEvents& events_;
  const Dependencies& dependencies_;
  OrderBuilder& builder_;
  std::map<std::uint32_t, Ids> batched_;  // by forward of a batch: the batch for the last forward, else empty
  std::map<std::uint32_t, Ids> held_;     // by last event of a rank's body: the gradients sent then
};

InputEdges::InputEdges(const OrderParts& parts, const ComputeEvents& events, const Dependencies& dependencies,
                       const Sequences& sequences, OrderBuilder& builder)
    : parts_(parts), events_(events), dependencies_(dependencies), builder_(builder) {
  if (parts.inputs() == 0) return;
  if (parts.options.input.gathered_first) gather_first(sequences);
  for (const Ids& sequence : sequences) {
    for (std::uint32_t input = 0; parts.options.input.batch > 1 && input < parts.inputs(); ++input)
      encode_at_once(sequence, RegionId(input));
    if (returns()) hold_gradients(sequence);
  }
  if (parts.options.input.broadcast && parts.ranks() > 1) broadcast(sequences);
}

void InputEdges::sent_after(std::uint32_t event, std::vector<std::uint32_t>& sent) const {
  sent.clear();
  const auto add = [&](std::uint32_t id) {
    if (id != kNoEvent) sent.push_back(id);
  };
  if (const auto batch = batched_.find(event); batch != batched_.end())
    for (const std::uint32_t forward : batch->second) add(dependencies_.sent_forward(forward));
  else
    add(dependencies_.sent_forward(event));
  for (const std::uint32_t back : dependencies_.sent_backward(event))
    if (!is_held(back)) add(back);
  if (const auto held = held_.find(event); held != held_.end())
    sent.insert(sent.end(), held->second.begin(), held->second.end());
}

// On a rank that receives outputs of the input, the body begins after all outputs that are made before a
// body.
void InputEdges::gather_first(const Sequences& sequences) {
  Ids first_of_body, gathers;
  for (const auto& sequence : sequences) {
    const auto body =
        std::find_if(sequence.begin(), sequence.end(), [&](std::uint32_t e) { return in_body(e); });
    first_of_body.push_back(body == sequence.end() ? kNoEvent : *body);
    for (auto event = sequence.begin(); event != body; ++event)
      if (const std::uint32_t sent = dependencies_.sent_forward(*event); sent != kNoEvent)
        gathers.push_back(sent);
  }
  for (const std::uint32_t gather : gathers) {
    const Event& it = builder_.events()[gather];
    const std::uint32_t first = first_of_body[it.peer_rank.index()];
    const bool fed_anyway = first == events_.forward(it.peer_stage, it.microbatch.index());
    if (first != kNoEvent && !fed_anyway) builder_.edge(gather, first, EdgeKind::Activation);
  }
}

// For one rank's sequence and one input: a batch's outputs leave after its last forward, and its first
// backward waits for the gradients of all.
void InputEdges::encode_at_once(const Ids& sequence, RegionId input) {
  Ids forwards, backwards;
  for (const std::uint32_t id : sequence)
    if (parts_.stage(builder_.events()[id].stage).region == input)
      (builder_.events()[id].runs_forward() ? forwards : backwards).push_back(id);
  for (const auto& batch : batches(forwards)) {
    for (const std::uint32_t forward : batch) {
      if (forward == batch.back()) continue;
      builder_.edge(batch.back(), dependencies_.sent_forward(forward), EdgeKind::Activation);
      batched_[forward] = {};
    }
    batched_[batch.back()] = batch;
  }
  for (const auto& batch : batches(backwards))
    for (const std::uint32_t backward : batch)
      if (backward != batch.front())
        builder_.edge(dependencies_.gradient_of(backward), batch.front(), EdgeKind::Gradient);
}

std::vector<InputEdges::Ids> InputEdges::batches(const Ids& passes) const {
  std::vector<Ids> all;
  for (const std::uint32_t pass : passes) {
    if (all.empty() || all.back().size() == parts_.options.input.batch) all.emplace_back();
    all.back().push_back(pass);
  }
  return all;
}

// True for a gradient that leaves its rank for the input and waits for the end of the body.
bool InputEdges::is_held(std::uint32_t sent) const {
  return returns() && crosses(sent) && builder_.events()[sent].comm == Comm::Scatter &&
         parts_.is_input(builder_.events()[sent].peer_stage);
}

// For one rank's sequence: held gradients leave after the last event of its body.
void InputEdges::hold_gradients(const Ids& sequence) {
  Ids held;
  std::uint32_t last = kNoEvent;
  for (const std::uint32_t event : sequence) {
    if (!in_body(event)) continue;
    last = event;
    for (const std::uint32_t sent : dependencies_.sent_backward(event))
      if (is_held(sent)) held.push_back(sent);
  }
  for (const std::uint32_t gradient : held) builder_.edge(last, gradient, EdgeKind::Sequence);
  if (!held.empty()) held_[last] = std::move(held);
}

// Broadcasts the trained inputs piece by piece; every rank begins when it has all pieces.
void InputEdges::broadcast(const Sequences& sequences) {
  std::uint32_t last = kNoEvent;
  for (std::size_t input = 0; input < parts_.inputs(); ++input) {
    for (std::uint32_t piece = 0; parts_.footprints[input].reduces && piece < parts_.paths.length(input);
         ++piece) {
      const std::uint32_t next =
          builder_.add(broadcast_event(parts_.stages, parts_.paths.copies(input, piece)));
      if (last != kNoEvent) builder_.edge(last, next, EdgeKind::Sequence);
      last = next;
    }
  }
  for (const Ids& sequence : sequences)
    if (last != kNoEvent && !sequence.empty()) builder_.edge(last, sequence.front(), EdgeKind::Sequence);
}

OrderBuilder reserved(const OrderParts& parts) {
  OrderBuilder builder(parts.ranks());
  std::size_t slots = 0;
  for (std::size_t region = 0; region < parts.regions(); ++region)
    slots += std::size_t{parts.paths.length(region)} * parts.microbatches();
  builder.reserve(5 * slots + parts.microbatches(), 11 * slots);
  return builder;
}

// Adds the dependencies, then the ranks' sequences, then the end of the step.
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

  // Each rank runs its computing events one after the other. If transfers block, the sender continues only
  // after its transfers, which run one after the other.
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

  // Makes each transfer after an event wait for the one before. Returns the last transfer, or the event if
  // there is none.
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

  // Every backward of a stage, and of its copy on another rank, accumulates into its reduce. A transposed
  // region has one reduce for all its copies, or for the copy that runs its backwards.
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
