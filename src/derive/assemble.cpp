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
        outgoing_(builder_.events().size(), kNoEvent) {}

  std::variant<Order, Cycle> run() && {
    connect();
    add_sequences();
    add_step_end();
    return std::move(builder_).build();
  }

 private:
  static OrderBuilder reserved(const Plan& plan) {
    OrderBuilder builder(plan.ranks());
    const std::size_t slots = std::size_t{plan.ranks()} * plan.microbatches() * plan.regions();
    builder.reserve(4 * slots + plan.microbatches(), 10 * slots);
    return builder;
  }

  void connect() {
    for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
      connect_forward(m);
      connect_loss(m);
      connect_backward(m);
      keep_encoder_state(m);
    }
  }

  StageId stage(std::size_t region, std::uint32_t rank) const {
    return stage_of(region, rank, plan_.ranks());
  }

  // from -> Coll -> to, both arcs of the same kind.
  void transfer(std::uint32_t from, std::uint32_t to, Comm comm, EdgeKind kind) {
    const Event sender = builder_.events()[from], receiver = builder_.events()[to];
    Event event{EventKind::Collective};
    event.comm = comm;
    event.stage = sender.stage;
    event.peer_stage = receiver.stage;
    event.rank = sender.rank;
    event.peer_rank = receiver.rank;
    event.microbatch = sender.microbatch;
    const std::uint32_t id = builder_.add(event);
    builder_.edge(from, id, kind);
    builder_.edge(id, to, kind);
    outgoing_[from] = id;
  }

  void connect_forward(std::uint32_t m) {
    for (std::size_t region = 0; region < plan_.regions(); ++region) {
      if (!plan_.replicated(region)) {
        for (std::uint32_t rank = 0; rank + 1 < plan_.ranks(); ++rank) {
          transfer(events_.forward(region, rank, m), events_.forward(region, rank + 1, m), Comm::Send,
                   EdgeKind::Activation);
        }
      }
      if (region + 1 == plan_.regions()) continue;
      transfer(events_.forward(region, plan_.exit_rank(region, m), m),
               events_.forward(region + 1, plan_.entry_rank(region + 1, m), m),
               plan_.collectives.seams[region].forward, EdgeKind::Activation);
    }
  }

  void connect_loss(std::uint32_t m) {
    const std::size_t last = plan_.regions() - 1;
    const std::uint32_t rank = plan_.exit_rank(last, m);
    Event loss{EventKind::Loss};
    loss.stage = stage(last, rank);
    loss.rank = RankId(rank);
    loss.microbatch = MicrobatchId(m);
    const std::uint32_t id = builder_.add(loss);
    builder_.edge(events_.forward(last, rank, m), id, EdgeKind::Activation);
    const std::uint32_t backward = events_.backward(last, rank, m);
    if (backward != kNoEvent) {
      builder_.edge(id, backward, EdgeKind::Turnaround);
    } else {
      open_ends_.push_back(id);
    }
  }

  void connect_backward(std::uint32_t m) {
    for (std::size_t region = plan_.regions(); region-- > 0;) {
      if (!plan_.footprints[region].receives) return;
      if (!plan_.replicated(region)) {
        for (std::uint32_t rank = plan_.ranks() - 1; rank > 0; --rank) {
          transfer(events_.backward(region, rank, m), events_.backward(region, rank - 1, m), Comm::RecvGrad,
                   EdgeKind::Gradient);
        }
      }
      if (!plan_.footprints[region].sends) return;
      transfer(events_.backward(region, plan_.entry_rank(region, m), m),
               events_.backward(region - 1, plan_.exit_rank(region - 1, m), m),
               *plan_.collectives.seams[region - 1].backward, EdgeKind::Gradient);
    }
  }

  // The long-lived state of a transposed region: one edge from its forward to its backward.
  void keep_encoder_state(std::uint32_t m) {
    for (std::size_t region = 0; region < plan_.regions(); ++region) {
      if (!plan_.replicated(region) || !plan_.footprints[region].receives) continue;
      const std::uint32_t rank = plan_.entry_rank(region, m);
      builder_.edge(events_.forward(region, rank, m), events_.backward(region, rank, m),
                    EdgeKind::Activation);
    }
  }

  // Freezing deletes events and moves none (section 3.1, "The same schedule, two footprints"). A formula
  // keeps that by itself; levels do where they are those of the model with every region trained.
  std::vector<std::vector<std::uint32_t>> sequences() const {
    if (plan_.footprints[0].receives || formula_suffices(plan_))
      return rank_sequences(plan_, events_, builder_);
    const auto open = open_gates(plan_);
    const Collectives collectives = with_backwards(plan_);
    const Plan trained{plan_.model,     plan_.schedule, open,         plan_.stages,
                       plan_.placement, collectives,    plan_.options};
    Assembly assembly(trained);
    assembly.connect();
    auto sequences = rank_sequences(trained, assembly.events_, assembly.builder_);
    for (auto& sequence : sequences) keep_own(sequence, assembly.builder_.events());
    return sequences;
  }

  // The same events in this plan, without those it has not.
  void keep_own(std::vector<std::uint32_t>& sequence, std::span<const Event> trained) const {
    for (std::uint32_t& id : sequence) {
      const Event& event = trained[id];
      const std::size_t region = plan_.stages[event.stage.index()].region.index();
      const std::uint32_t rank = event.rank.index(), m = event.microbatch.index();
      id = event.kind == EventKind::Forward ? events_.forward(region, rank, m)
                                            : events_.backward(region, rank, m);
    }
    std::erase(sequence, kNoEvent);
  }

  // One computing event after the other on each rank; where transfers block, the sender goes on only after
  // its transfer.
  void add_sequences() {
    const bool blocking = plan_.options.point_to_point == PointToPoint::Blocking;
    for (const auto& sequence : sequences()) {
      for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
        const std::uint32_t sent = outgoing_[sequence[i]];
        const bool occupied = blocking && sent != kNoEvent && crosses_ranks(sent);
        builder_.edge(occupied ? sent : sequence[i], sequence[i + 1], EdgeKind::Sequence);
      }
    }
  }

  bool crosses_ranks(std::uint32_t collective) const {
    const Event& event = builder_.events()[collective];
    return event.rank != event.peer_rank;
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

  // Every backward of a stage accumulates into its reduce; a transposed region has one reduce for all its
  // copies.
  void add_reduce(const Reduce& reduce, std::vector<std::uint32_t>& reduces) {
    const std::size_t region = reduce.region.index();
    const std::uint32_t copies = plan_.replicated(region) ? 1 : plan_.ranks();
    for (std::uint32_t rank = 0; rank < copies; ++rank) {
      Event event{EventKind::DpReduce};
      event.group = reduce.group;
      event.stage = stage(region, rank);
      event.rank = RankId(rank);
      event.joined_replicas = plan_.options.pipeline.replicas;
      const std::uint32_t id = builder_.add(event);
      reduces.push_back(id);
      for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
        builder_.edge(events_.backward(region, rank, m), id, EdgeKind::Accumulate);
      }
    }
  }

  const Plan& plan_;
  OrderBuilder builder_;
  ComputeEvents events_;
  std::vector<std::uint32_t> outgoing_;   // computing event -> the transfer it sends
  std::vector<std::uint32_t> open_ends_;  // losses that no backward follows
};

// How many replicas advance together in this stage: the most that any block in it asks for.
std::uint32_t joined_replicas(const Plan& plan, const Stage& stage) {
  std::uint32_t joined = 1;
  for (std::size_t block = 0; block < plan.options.joined_replicas.size(); ++block) {
    if (plan.model.part_of(block, stage.layers).size() == 0) continue;
    joined = std::max(joined, plan.options.joined_replicas[block]);
  }
  return joined;
}

}  // namespace

std::uint32_t Plan::entry_rank(std::size_t region, std::uint32_t m) const {
  const auto* owned = std::get_if<ByMicrobatch>(&placement[region].owner);
  return owned ? owned->owner[m].index() : 0;
}

std::uint32_t Plan::exit_rank(std::size_t region, std::uint32_t m) const {
  const auto* owned = std::get_if<ByMicrobatch>(&placement[region].owner);
  return owned ? owned->owner[m].index() : ranks() - 1;
}

ComputeEvents::ComputeEvents(const Plan& plan, OrderBuilder& builder) : ranks_(plan.ranks()) {
  const auto add_all = [&](std::size_t region, EventKind kind) {
    const std::uint32_t first = static_cast<std::uint32_t>(builder.events().size());
    Event event{kind};
    for (std::uint32_t m = 0; m < plan.microbatches(); ++m) {
      const std::uint32_t begin = plan.replicated(region) ? plan.entry_rank(region, m) : 0;
      const std::uint32_t end = plan.replicated(region) ? begin + 1 : plan.ranks();
      for (std::uint32_t rank = begin; rank < end; ++rank) {
        event.stage = stage_of(region, rank, plan.ranks());
        event.rank = RankId(rank);
        event.microbatch = MicrobatchId(m);
        event.joined_replicas = joined_replicas(plan, plan.stages[event.stage.index()]);
        builder.add(event);
      }
    }
    return first;
  };
  for (std::size_t region = 0; region < plan.regions(); ++region) {
    const std::uint32_t forward = add_all(region, EventKind::Forward);
    const std::uint32_t backward =
        plan.footprints[region].receives ? add_all(region, EventKind::Backward) : kNoEvent;
    rows_.push_back({forward, backward, plan.replicated(region)});
  }
}

std::variant<Order, Cycle> assemble_order(const Plan& plan) {
  return Assembly(plan).run();
}

}  // namespace spillway
