#include "derive/input_edges.h"

#include <algorithm>

#include "derive/step_events.h"

namespace spillway {

InputEdges::InputEdges(const OrderParts& parts, const ComputeEvents& events, const Dependencies& dependencies,
                       const Sequences& sequences, OrderBuilder& builder)
    : parts_(parts), events_(events), dependencies_(dependencies), builder_(builder) {
  if (!parts.replicated(0)) return;
  if (parts.options.input.gathered_first) gather_first(sequences);
  for (const Ids& sequence : sequences) {
    if (parts.options.input.batch > 1) encode_at_once(sequence);
    if (returns()) hold_gradients(sequence);
  }
  if (parts.options.input.broadcast && parts.footprints[0].reduces && parts.ranks() > 1) broadcast(sequences);
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
  if (const std::uint32_t back = dependencies_.sent_backward(event); !is_held(back)) add(back);
  if (const auto held = held_.find(event); held != held_.end())
    sent.insert(sent.end(), held->second.begin(), held->second.end());
}

// Where the input's outputs arrive, a body begins behind all that stand before one.
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

// In the order of one rank: a batch's outputs leave behind its last forward, and its first backward waits for
// the gradients of all.
void InputEdges::encode_at_once(const Ids& sequence) {
  Ids forwards, backwards;
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
      if (backward != batch.front()) builder_.edge(gradient_of(backward), batch.front(), EdgeKind::Gradient);
}

std::vector<InputEdges::Ids> InputEdges::batches(const Ids& passes) const {
  std::vector<Ids> all;
  for (const std::uint32_t pass : passes) {
    if (all.empty() || all.back().size() == parts_.options.input.batch) all.emplace_back();
    all.back().push_back(pass);
  }
  return all;
}

// The transfer that brings a backward of the input its gradient.
std::uint32_t InputEdges::gradient_of(std::uint32_t backward) const {
  const std::uint32_t m = builder_.events()[backward].microbatch.index();
  return dependencies_.sent_backward(events_.backward(parts_.paths.of(1, m).front(), m));
}

// A gradient for the input that leaves its rank, where such wait for the end of the body.
bool InputEdges::is_held(std::uint32_t sent) const {
  return returns() && crosses(sent) && builder_.events()[sent].comm == Comm::Scatter &&
         parts_.stage(builder_.events()[sent].peer_stage).region.index() == 0;
}

// In the order of one rank: those gradients leave behind the last event of its body.
void InputEdges::hold_gradients(const Ids& sequence) {
  Ids held;
  std::uint32_t last = kNoEvent;
  for (const std::uint32_t event : sequence) {
    if (!in_body(event)) continue;
    last = event;
    if (const std::uint32_t sent = dependencies_.sent_backward(event); is_held(sent)) held.push_back(sent);
  }
  for (const std::uint32_t gradient : held) builder_.edge(last, gradient, EdgeKind::Sequence);
  if (!held.empty()) held_[last] = std::move(held);
}

// Piece by piece; every rank begins when it has them all.
void InputEdges::broadcast(const Sequences& sequences) {
  std::uint32_t last = kNoEvent;
  for (std::uint32_t piece = 0; piece < parts_.paths.length(0); ++piece) {
    const std::uint32_t next = builder_.add(broadcast_event(parts_.stages, parts_.paths.copies(0, piece)));
    if (last != kNoEvent) builder_.edge(last, next, EdgeKind::Sequence);
    last = next;
  }
  for (const Ids& sequence : sequences)
    if (!sequence.empty()) builder_.edge(last, sequence.front(), EdgeKind::Sequence);
}

}  // namespace spillway
