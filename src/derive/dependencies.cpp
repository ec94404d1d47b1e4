#include "derive/dependencies.h"

#include <ranges>

#include "derive/step_events.h"

namespace spillway {

Dependencies::Dependencies(const OrderParts& parts, const ComputeEvents& events, OrderBuilder& builder)
    : parts_(parts),
      events_(events),
      builder_(builder),
      keeps_waits_(!formula_suffices(parts.schedule)),
      sent_forward_(builder.events().size(), kNoEvent),
      sent_backward_(builder.events().size(), Ids{0, 0}) {
  for (std::uint32_t m = 0; m < parts.microbatches(); ++m) {
    connect_forward(m);
    connect_loss(m);
    connect_backward(m);
    connect_halves(m);
    keep_encoder_state(m);
  }
}

void Dependencies::wait(std::uint32_t from, std::uint32_t to) {
  if (keeps_waits_) waits_.push_back({from, to});
}

// Stage `from` passes microbatch m on to stage `to`: sender -> Coll -> receiver, both arcs of the same kind.
// A transfer without a receiver in this step ends with the step.
std::uint32_t Dependencies::transfer(Comm comm, std::uint32_t sender, StageId from, std::uint32_t receiver,
                                     StageId to, std::uint32_t m) {
  const bool back = comm == Comm::RecvGrad || parts_.stage(to).region < parts_.stage(from).region;
  const EdgeKind kind = back ? EdgeKind::Gradient : EdgeKind::Activation;
  const std::uint32_t id = builder_.add(transfer_event(comm, parts_.stages, from, to, m));
  builder_.edge(sender, id, kind);
  if (receiver == kNoEvent) {
    open_ends_.push_back(id);
    return id;
  }
  builder_.edge(id, receiver, kind);
  wait(sender, receiver);
  return id;
}

void Dependencies::send_forward(Comm comm, StageId from, StageId to, std::uint32_t m) {
  const std::uint32_t sender = events_.forward(from, m);
  const bool for_next_step = parts_.options.input.prefetched && parts_.is_input(from) && !parts_.is_input(to);
  const std::uint32_t receiver = for_next_step ? kNoEvent : events_.forward(to, m);
  sent_forward_[sender] = transfer(comm, sender, from, receiver, to, m);
}

void Dependencies::send_backward(Comm comm, StageId from, StageId to, std::uint32_t m) {
  const std::uint32_t sender = events_.backward(from, m);
  const std::uint32_t id = transfer(comm, sender, from, events_.backward(to, m), to, m);
  Ids& sent = sent_backward_[sender];
  if (sent.first == sent.end) sent.first = id;
  ensure(sent.first == id || sent.end == id, "gradients of one pass leave one after the other");
  sent.end = id + 1;
}

std::uint32_t Dependencies::gradient_of(std::uint32_t backward) const {
  const Event& event = builder_.events()[backward];
  const std::uint32_t m = event.microbatch.index();
  for (const std::uint32_t sent : sent_backward(events_.backward(entry(parts_.inputs(), m), m)))
    if (builder_.events()[sent].peer_stage == event.stage) return sent;
  throw ContractBreach("a backward of an input waits for a gradient");
}

void Dependencies::connect_forward(std::uint32_t m) {
  for (std::size_t region = 0; region < parts_.regions(); ++region) {
    const auto path = parts_.paths.of(region, m);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) send_forward(Comm::Send, path[i], path[i + 1], m);
    if (region + 1 == parts_.regions()) continue;
    const Seam& seam = parts_.collectives.seams[region];
    send_forward(seam.forward, path.back(), entry(seam.downstream.index(), m), m);
  }
}

void Dependencies::connect_loss(std::uint32_t m) {
  const StageId last = exit(parts_.regions() - 1, m);
  Event loss{EventKind::Loss};
  loss.stage = loss.peer_stage = last;
  loss.rank = loss.peer_rank = parts_.stage(last).rank;
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

// Connects backwards as far back as Lemma 1 lets gradients flow.
void Dependencies::connect_backward(std::uint32_t m) {
  for (std::size_t region = parts_.regions(); region-- > 0;) {
    if (!parts_.footprints[region].receives) continue;
    const auto path = parts_.paths.back(region, m);
    for (std::size_t i = path.size(); i-- > 1;) send_backward(Comm::RecvGrad, path[i], path[i - 1], m);
    send_to_upstream(region, m);
  }
}

// Sends the gradients of the outputs that the region takes, the last input's first, as their backwards run.
void Dependencies::send_to_upstream(std::size_t region, std::uint32_t m) {
  const StageId from = parts_.paths.back(region, m).front();
  for (const Seam& seam : parts_.collectives.seams | std::views::reverse)
    if (seam.downstream.index() == region && seam.backward)
      send_backward(*seam.backward, from, parts_.paths.back(seam.upstream.index(), m).back(), m);
}

// The weight half of a split backward needs the results of the input half.
void Dependencies::connect_halves(std::uint32_t m) {
  for (std::size_t region = 0; region < parts_.regions(); ++region) {
    for (StageId stage : parts_.paths.of(region, m)) {
      const std::uint32_t weight = events_.weight_half(stage, m);
      if (weight == kNoEvent) continue;
      builder_.edge(events_.backward(stage, m), weight, EdgeKind::Gradient);
      wait(events_.backward(stage, m), weight);
    }
  }
}

// The long-lived state of a transposed region: one edge from each forward to its backward on the same rank.
// If another rank runs the backward, its input arrives with the output.
void Dependencies::keep_encoder_state(std::uint32_t m) {
  for (std::size_t region = 0; region < parts_.regions(); ++region) {
    if (!parts_.replicated(region) || !parts_.footprints[region].receives) continue;
    const auto path = parts_.paths.of(region, m);
    if (parts_.paths.back(region, m).front() != path.front()) continue;
    for (const StageId stage : path)
      builder_.edge(events_.forward(stage, m), events_.backward(stage, m), EdgeKind::Activation);
  }
}

}  // namespace spillway
