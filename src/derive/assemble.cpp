#include "derive/assemble.h"

#include <algorithm>
#include <map>

#include "derive/compute_events.h"
#include "derive/dependencies.h"
#include "derive/sequence.h"
#include "derive/step_events.h"

namespace spillway {
namespace {

OrderBuilder reserved(const Plan& plan) {
  OrderBuilder builder(plan.ranks());
  std::size_t slots = 0;
  for (std::size_t region = 0; region < plan.regions(); ++region)
    slots += std::size_t{plan.paths.length(region)} * plan.microbatches();
  builder.reserve(5 * slots + plan.microbatches(), 11 * slots);
  return builder;
}

// What depends on what; then the ranks' sequences; then the end of the step.
class Assembly {
 public:
  explicit Assembly(const Plan& plan)
      : plan_(plan),
        builder_(reserved(plan)),
        events_(plan, builder_),
        dependencies_(plan, events_, builder_) {}

  std::variant<Order, Cycle> run() && {
    add_sequences();
    add_step_end();
    return std::move(builder_).build();
  }

 private:
  Sequences sequences() const {
    const bool in_place = plan_.options.inner == InnerOrder::InPlace;
    if (formula_suffices(plan_.schedule) || in_place) return sequences_by_formula(plan_, events_);
    return sequences_by_list(plan_, events_, builder_.events(), dependencies_.waits());
  }

  // One computing event after the other on each rank; where transfers block, the sender goes on only after
  // what it sends.
  void add_sequences() {
    const bool blocking = plan_.options.point_to_point == PointToPoint::Blocking;
    const Sequences all = sequences();
    if (plan_.options.gathered_first && plan_.replicated(0)) gather_first(all);
    if (plan_.options.input_batch > 1 && plan_.replicated(0))
      for (const auto& sequence : all) encode_at_once(sequence);
    for (const auto& sequence : all) {
      for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
        const std::uint32_t event = sequence[i], next = sequence[i + 1];
        const bool occupied =
            blocking && (follow_outputs(event, next) | follow(dependencies_.sent_backward(event), next));
        if (!occupied) builder_.edge(event, next, EdgeKind::Sequence);
      }
    }
  }

  bool in_body(std::uint32_t event) const {
    return plan_.stage(builder_.events()[event].stage).region.index() > 0;
  }

  // Where the input's outputs arrive, a body begins behind all that stand before one.
  void gather_first(const Sequences& sequences) {
    std::vector<std::uint32_t> first_of_body, gathers;
    for (const auto& sequence : sequences) {
      const auto body =
          std::find_if(sequence.begin(), sequence.end(), [&](std::uint32_t e) { return in_body(e); });
      first_of_body.push_back(body == sequence.end() ? kNoEvent : *body);
      for (auto event = sequence.begin(); event != body; ++event)
        if (const std::uint32_t sent = dependencies_.sent_forward(*event); sent != kNoEvent)
          gathers.push_back(sent);
    }
    for (const std::uint32_t gather : gathers) {
      const std::uint32_t first = first_of_body[builder_.events()[gather].peer_rank.index()];
      if (first != kNoEvent) builder_.edge(gather, first, EdgeKind::Activation);
    }
  }

  // Of a transposed input, in the order of one rank: a batch's outputs leave behind its last forward, and its
  // first backward waits for the gradients of all.
  void encode_at_once(const std::vector<std::uint32_t>& sequence) {
    std::vector<std::uint32_t> forwards, backwards;
    for (const std::uint32_t id : sequence)
      if (!in_body(id)) (builder_.events()[id].runs_forward() ? forwards : backwards).push_back(id);
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
          builder_.edge(gradient_of(backward), batch.front(), EdgeKind::Gradient);
  }

  std::vector<std::vector<std::uint32_t>> batches(const std::vector<std::uint32_t>& passes) const {
    std::vector<std::vector<std::uint32_t>> all;
    for (const std::uint32_t pass : passes) {
      if (all.empty() || all.back().size() == plan_.options.input_batch) all.emplace_back();
      all.back().push_back(pass);
    }
    return all;
  }

  // The transfer that brings a backward of the input its gradient.
  std::uint32_t gradient_of(std::uint32_t backward) const {
    const std::uint32_t m = builder_.events()[backward].microbatch.index();
    return dependencies_.sent_backward(events_.backward(plan_.paths.of(1, m).front(), m));
  }

  // From what a forward sends; of those of a batch, which leave together, from all behind the last one.
  bool follow_outputs(std::uint32_t event, std::uint32_t next) {
    const auto batch = batched_.find(event);
    if (batch == batched_.end()) return follow(dependencies_.sent_forward(event), next);
    bool any = false;
    for (const std::uint32_t forward : batch->second)
      any |= follow(dependencies_.sent_forward(forward), next);
    return any;
  }

  // An edge from a transfer between ranks, if it is one.
  bool follow(std::uint32_t sent, std::uint32_t next) {
    if (sent == kNoEvent) return false;
    const Event& event = builder_.events()[sent];
    if (event.rank == event.peer_rank) return false;
    builder_.edge(sent, next, EdgeKind::Sequence);
    return true;
  }

  void add_step_end() {
    std::vector<std::uint32_t> reduces;
    for (const Reduce& reduce : plan_.collectives.reduces) add_reduces(reduce, reduces);
    Event barrier{EventKind::StepBarrier};
    barrier.joined_replicas = plan_.options.pipeline.replicas;
    const std::uint32_t end = builder_.add(barrier);
    for (std::uint32_t id : reduces) builder_.edge(id, end, EdgeKind::Sequence);
    for (std::uint32_t id : dependencies_.open_ends()) builder_.edge(id, end, EdgeKind::Sequence);
  }

  // Every backward of a stage, and of its copy on another rank, accumulates into its reduce; a transposed
  // region has one reduce for all its copies.
  void add_reduces(const Reduce& reduce, std::vector<std::uint32_t>& reduces) {
    const std::size_t region = reduce.region.index();
    for (std::uint32_t index = 0; index < plan_.paths.length(region); ++index) {
      const std::uint32_t id = builder_.add(reduce_event(
          reduce, plan_.stages, plan_.paths.copies(region, index), plan_.options.pipeline.replicas));
      reduces.push_back(id);
      for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
        const StageId stage = plan_.paths.of(region, m)[index];
        builder_.edge(events_.last_backward(stage, m), id, EdgeKind::Accumulate);
      }
    }
  }

  const Plan& plan_;
  OrderBuilder builder_;
  ComputeEvents events_;
  Dependencies dependencies_;
  // By forward of a batch: the batch for its last one, nothing for the others.
  std::map<std::uint32_t, std::vector<std::uint32_t>> batched_;
};

}  // namespace

std::variant<Order, Cycle> assemble_order(const Plan& plan) {
  return Assembly(plan).run();
}

}  // namespace spillway
