#include "derive/assemble.h"

#include <algorithm>
#include <utility>

#include "derive/stages.h"

namespace spillway {
namespace {

// Lemma 1's gates where every region is trainable.
std::vector<BackwardFootprint> open_gates(const Plan& plan) {
  std::vector<BackwardFootprint> gates(plan.regions(), {.sends = true, .receives = true, .reduces = true});
  gates[0].sends = false;
  return gates;
}

Collectives with_backwards(const Plan& plan) {
  Collectives collectives = plan.collectives;
  for (Seam& seam : collectives.seams) {
    seam.backward = seam_comms(plan.placement[seam.upstream.index()].layout,
                               plan.placement[seam.downstream.index()].layout)
                        .backward;
  }
  return collectives;
}

// Adds, microbatch by microbatch, what depends on what; then the ranks' sequences; then the end of the step.
class Assembly {
 public:
  explicit Assembly(const Plan& plan)
      : plan_(plan),
        builder_(reserved(plan)),
        events_(plan, builder_),
        computing_(builder_.events().size()),
        sent_forward_(computing_, kNoEvent),
        sent_backward_(computing_, kNoEvent) {}

  std::variant<Order, Cycle> run() && {
    connect();
    add_sequences();
    add_step_end();
    return std::move(builder_).build();
  }

 private:
  static OrderBuilder reserved(const Plan& plan) {
    OrderBuilder builder(plan.ranks());
    std::size_t slots = 0;
    for (std::size_t region = 0; region < plan.regions(); ++region)
      slots += std::size_t{plan.paths.length(region)} * plan.microbatches();
    builder.reserve(5 * slots + plan.microbatches(), 11 * slots);
    return builder;
  }

  void connect() {
    for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
      connect_forward(m);
      connect_loss(m);
      connect_backward(m);
      connect_halves(m);
      keep_encoder_state(m);
    }
  }

  StageId entry(std::size_t region, std::uint32_t m) const { return plan_.paths.of(region, m).front(); }
  StageId exit(std::size_t region, std::uint32_t m) const { return plan_.paths.of(region, m).back(); }

  void wait(std::uint32_t from, std::uint32_t to) {
    if (!formula_suffices(plan_.schedule)) waits_.push_back({from, to});
  }

  // Stage `from` passes microbatch m on to stage `to`: sender -> Coll -> receiver, both arcs of the same
  // kind.
  std::uint32_t transfer(Comm comm, std::uint32_t sender, StageId from, std::uint32_t receiver, StageId to,
                         std::uint32_t m) {
    const bool back = comm == Comm::RecvGrad || plan_.stage(to).region < plan_.stage(from).region;
    const EdgeKind kind = back ? EdgeKind::Gradient : EdgeKind::Activation;
    Event event{EventKind::Collective};
    event.comm = comm;
    event.stage = from;
    event.peer_stage = to;
    event.rank = plan_.stage(from).rank;
    event.peer_rank = plan_.stage(to).rank;
    event.microbatch = event.peer_microbatch = MicrobatchId(m);
    const std::uint32_t id = builder_.add(event);
    builder_.edge(sender, id, kind);
    builder_.edge(id, receiver, kind);
    wait(sender, receiver);
    return id;
  }

  void send_forward(Comm comm, StageId from, StageId to, std::uint32_t m) {
    const std::uint32_t sender = events_.forward(from, m);
    sent_forward_[sender] = transfer(comm, sender, from, events_.forward(to, m), to, m);
  }

  void send_backward(Comm comm, StageId from, StageId to, std::uint32_t m) {
    const std::uint32_t sender = events_.backward(from, m);
    sent_backward_[sender] = transfer(comm, sender, from, events_.backward(to, m), to, m);
  }

  void connect_forward(std::uint32_t m) {
    for (std::size_t region = 0; region < plan_.regions(); ++region) {
      const auto path = plan_.paths.of(region, m);
      for (std::size_t i = 0; i + 1 < path.size(); ++i) send_forward(Comm::Send, path[i], path[i + 1], m);
      if (region + 1 == plan_.regions()) continue;
      send_forward(plan_.collectives.seams[region].forward, path.back(), entry(region + 1, m), m);
    }
  }

  void connect_loss(std::uint32_t m) {
    const StageId last = exit(plan_.regions() - 1, m);
    Event loss{EventKind::Loss};
    loss.stage = loss.peer_stage = last;
    loss.rank = loss.peer_rank = plan_.stage(last).rank;
    loss.microbatch = loss.peer_microbatch = MicrobatchId(m);
    const std::uint32_t id = builder_.add(loss);
    const std::uint32_t forward = events_.forward(last, m), backward = events_.backward(last, m);
    builder_.edge(forward, id, EdgeKind::Activation);
    if (backward != kNoEvent) {
      builder_.edge(id, backward, EdgeKind::Turnaround);
      wait(forward, backward);
    } else {
      open_ends_.push_back(id);
    }
  }

  void connect_backward(std::uint32_t m) {
    for (std::size_t region = plan_.regions(); region-- > 0;) {
      if (!plan_.footprints[region].receives) return;
      const auto path = plan_.paths.of(region, m);
      for (std::size_t i = path.size(); i-- > 1;) send_backward(Comm::RecvGrad, path[i], path[i - 1], m);
      if (!plan_.footprints[region].sends) return;
      send_backward(*plan_.collectives.seams[region - 1].backward, path.front(), exit(region - 1, m), m);
    }
  }

  // The weights' half of a split backward needs what the input's half has computed.
  void connect_halves(std::uint32_t m) {
    for (std::size_t region = 0; region < plan_.regions(); ++region) {
      for (StageId stage : plan_.paths.of(region, m)) {
        const std::uint32_t weight = events_.weight_half(stage, m);
        if (weight == kNoEvent) continue;
        builder_.edge(events_.backward(stage, m), weight, EdgeKind::Gradient);
        wait(events_.backward(stage, m), weight);
      }
    }
  }

  // The long-lived state of a transposed region: one edge from its forward to its backward.
  void keep_encoder_state(std::uint32_t m) {
    for (std::size_t region = 0; region < plan_.regions(); ++region) {
      if (!plan_.replicated(region) || !plan_.footprints[region].receives) continue;
      const StageId stage = entry(region, m);
      builder_.edge(events_.forward(stage, m), events_.backward(stage, m), EdgeKind::Activation);
    }
  }

  // Freezing deletes events and moves none (section 3.1, "The same schedule, two footprints"). A formula
  // keeps that by itself; a list schedule does where it is that of the model with every region trained.
  Sequences sequences() const {
    if (formula_suffices(plan_.schedule)) return sequences_by_formula(plan_, events_);
    if (plan_.footprints[0].receives) return by_list();
    const auto open = open_gates(plan_);
    const Collectives collectives = with_backwards(plan_);
    const Plan trained{plan_.model, plan_.schedule, open,        plan_.stages, plan_.placement,
                       collectives, plan_.options,  plan_.paths, plan_.bodies};
    Assembly assembly(trained);
    assembly.connect();
    Sequences sequences = assembly.by_list();
    for (auto& sequence : sequences) keep_own(sequence, assembly.builder_.events());
    return sequences;
  }

  Sequences by_list() const {
    return sequences_by_list(plan_, events_, builder_.events().first(computing_), waits_);
  }

  // The same events in this plan, without those it has not.
  void keep_own(std::vector<std::uint32_t>& sequence, std::span<const Event> trained) const {
    for (std::uint32_t& id : sequence) id = own_event(trained[id]);
    std::erase(sequence, kNoEvent);
  }

  std::uint32_t own_event(const Event& trained) const {
    const std::uint32_t m = trained.microbatch.index();
    if (trained.kind == EventKind::Forward) return events_.forward(trained.stage, m);
    if (trained.kind == EventKind::BackwardWeight) return events_.weight_half(trained.stage, m);
    return events_.backward(trained.stage, m);
  }

  // One computing event after the other on each rank; where transfers block, the sender goes on only after
  // what it sends.
  void add_sequences() {
    const bool blocking = plan_.options.point_to_point == PointToPoint::Blocking;
    for (const auto& sequence : sequences()) {
      for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
        const bool occupied = blocking && (follow(sent_forward_[sequence[i]], sequence[i + 1]) |
                                           follow(sent_backward_[sequence[i]], sequence[i + 1]));
        if (!occupied) builder_.edge(sequence[i], sequence[i + 1], EdgeKind::Sequence);
      }
    }
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
    for (const Reduce& reduce : plan_.collectives.reduces) add_reduce(reduce, reduces);
    Event barrier{EventKind::StepBarrier};
    barrier.joined_replicas = plan_.options.pipeline.replicas;
    const std::uint32_t end = builder_.add(barrier);
    for (std::uint32_t id : reduces) builder_.edge(id, end, EdgeKind::Sequence);
    for (std::uint32_t id : open_ends_) builder_.edge(id, end, EdgeKind::Sequence);
  }

  // Every backward of a stage, and of its copy on another rank, accumulates into its reduce; a transposed
  // region has one reduce for all its copies.
  void add_reduce(const Reduce& reduce, std::vector<std::uint32_t>& reduces) {
    const std::size_t region = reduce.region.index();
    for (std::uint32_t index = 0; index < plan_.paths.length(region); ++index) {
      const std::vector<StageId> copies = plan_.paths.copies(region, index);
      const StageId peer = plan_.replicated(region) ? copies.front() : copies.back();
      Event event{EventKind::DpReduce};
      event.group = reduce.group;
      event.stage = copies.front();
      event.peer_stage = peer;
      event.rank = plan_.stage(event.stage).rank;
      event.peer_rank = plan_.stage(peer).rank;
      event.joined_replicas = plan_.options.pipeline.replicas;
      const std::uint32_t id = builder_.add(event);
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
  std::size_t computing_;
  std::vector<std::uint32_t> sent_forward_;   // computing event -> the transfer of its output
  std::vector<std::uint32_t> sent_backward_;  // computing event -> the transfer of its gradient
  std::vector<std::uint32_t> open_ends_;      // losses that no backward follows
  Waits waits_;                               // kept for list scheduling alone
};

}  // namespace

std::variant<Order, Cycle> assemble_order(const Plan& plan) {
  return Assembly(plan).run();
}

}  // namespace spillway
