// The order of computing events on each rank: prefix + body + suffix. The prefix has the rank's own encodes
// of the transposed inputs, in microbatch order, and fills the warm-up bubble. The suffix has their backwards
// and fills the cool-down. A microbatch's encodes are in the order of the inputs, their backwards in reverse.
// Passes in DeriveOptions::placed run inside the body instead. If the schedule has one run of Sharded
// regions, with or without inputs, the body is the skeleton's own order. The same holds with further
// transposed regions that run in place. list_sequence.cpp has the other cases.
//
//   rank 0  e1 e3 | F1 F2 B1 F3 B2 F4 B3 B4 | b1 b3      transpose,1f1b: P = 2, M = 4, round-robin
//   rank 1  e2 e4 | F1 B1 F2 B2 F3 B3 F4 B4 | b2 b4
#include "derive/sequence.h"

#include <optional>

#include "base/append.h"

namespace spillway {
namespace {

enum class Wing { Prefix, Suffix };

// The transposed inputs' passes by microbatch and piece, and whether they run inside a body.
class InputSequence {
 public:
  InputSequence(const OrderParts& parts, const ComputeEvents& events) : parts_(parts), events_(events) {
    for (std::size_t input = 0; input < parts.inputs(); ++input)
      for (std::uint32_t index = 0; index < parts.paths.length(input); ++index)
        pieces_.push_back({input, index});
    if (!parts.options.placed.empty()) inside_.resize(2 * std::size_t{parts.microbatches()} * pieces());
    for (std::uint32_t rank = 0; rank < parts.options.placed.size(); ++rank)
      for (const PlacedPass& pass : parts.options.placed[rank]) note(rank, pass);
  }

  // kNoEvent for a backward that Lemma 1 omits.
  std::uint32_t event(std::uint32_t m, std::uint32_t piece, bool backward) const {
    const StageId stage = stage_of(m, piece, backward);
    return backward ? events_.backward(stage, m) : events_.forward(stage, m);
  }

  // Each rank's own passes in this wing, in microbatch order.
  Sequences in(Wing wing) const {
    Sequences own(parts_.ranks());
    const bool prefetched = parts_.options.input.prefetched;
    if (prefetched && wing == Wing::Prefix) return own;
    const bool backward = wing == Wing::Suffix && !prefetched;
    for (std::uint32_t m = 0; m < parts_.microbatches(); ++m)
      for (std::uint32_t i = 0; i < pieces(); ++i) {
        const std::uint32_t piece = backward ? pieces() - 1 - i : i;
        if (!inside_.empty() && inside_[place(m, piece, backward)]) continue;
        if (const std::uint32_t one = event(m, piece, backward); one != kNoEvent)
          own[rank_of(m, piece, backward)].push_back(one);
      }
    return own;
  }

 private:
  struct Piece {
    std::size_t input;
    std::uint32_t index;  // in the paths of that input
  };

  std::uint32_t pieces() const { return static_cast<std::uint32_t>(pieces_.size()); }
  StageId stage_of(std::uint32_t m, std::uint32_t piece, bool backward) const {
    const auto [input, index] = pieces_[piece];
    return (backward ? parts_.paths.back(input, m) : parts_.paths.of(input, m))[index];
  }
  std::uint32_t rank_of(std::uint32_t m, std::uint32_t piece, bool backward) const {
    return parts_.stage(stage_of(m, piece, backward)).rank.index();
  }
  std::size_t place(std::uint32_t m, std::uint32_t piece, bool backward) const {
    return (std::size_t{m} * pieces() + piece) * 2 + (backward ? 1 : 0);
  }

  void note(std::uint32_t rank, const PlacedPass& pass) {
    const std::uint32_t m = pass.microbatch.index();
    ensure(
        m < parts_.microbatches() && pass.piece < pieces() && rank_of(m, pass.piece, pass.backward) == rank,
        "a placed pass is of a transposed input, on the rank that runs it");
    const std::size_t own = place(m, pass.piece, pass.backward);
    ensure(!inside_[own], "a pass is placed once");
    inside_[own] = true;
  }

  const OrderParts& parts_;
  const ComputeEvents& events_;
  std::vector<Piece> pieces_;
  std::vector<bool> inside_;  // by place; empty if no pass is inside
};

// The body with this rank's placed passes inserted.
std::vector<std::uint32_t> with_placed(const OrderParts& parts, const InputSequence& input,
                                       std::uint32_t rank, const std::vector<std::uint32_t>& body) {
  std::vector<std::uint32_t> all;
  std::size_t next = 0;
  for (const PlacedPass& pass : parts.options.placed[rank]) {
    ensure(pass.before <= body.size() && pass.before >= next,
           "placed passes stand in their order, in the body or behind it");
    for (; next < pass.before; ++next) all.push_back(body[next]);
    if (const std::uint32_t one = input.event(pass.microbatch.index(), pass.piece, pass.backward);
        one != kNoEvent)
      all.push_back(one);
  }
  all.insert(all.end(), body.begin() + static_cast<std::ptrdiff_t>(next), body.end());
  return all;
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

bool passes_gradient(Action action) {
  return action == Action::Backward || action == Action::BackwardInput || action == Action::ForwardBackward;
}

// A slot's events: its own, and right beside it those of a transposed region that follows its stage and runs
// in place. Events that Lemma 1 omits are skipped.
class SlotEvents {
 public:
  SlotEvents(const OrderParts& parts, const ComputeEvents& events, const Body& body)
      : parts_(parts), events_(events), body_(body) {}

  void append(std::uint32_t rank, const Slot& slot, std::vector<std::uint32_t>& to) const {
    const StageId stage = parts_.stage_of_slot(body_, rank, slot.chunk);
    const std::uint32_t m = slot.microbatch.index();
    const bool both = slot.action == Action::ForwardBackward;
    if (passes_gradient(slot.action)) {
      const StageId back = both ? parts_.stage_of_slot(body_, rank, slot.backward_chunk) : stage;
      const std::uint32_t back_m = both ? slot.backward_microbatch.index() : m;
      if (const auto behind = parts_.in_place_behind(back, back_m))
        add(events_.backward(*behind, back_m), to);
    }
    if (slot.action == Action::BackwardWeight)
      if (const auto behind = parts_.in_place_behind(stage, m)) add(events_.weight_half(*behind, m), to);
    add(event_of(events_, slot.action, stage, m), to);
    if (slot.action != Action::Forward && !both) return;
    if (const auto behind = parts_.in_place_behind(stage, m)) add(events_.forward(*behind, m), to);
  }

 private:
  static void add(std::uint32_t event, std::vector<std::uint32_t>& to) {
    if (event != kNoEvent) to.push_back(event);
  }

  const OrderParts& parts_;
  const ComputeEvents& events_;
  const Body& body_;
};

void append_body(const OrderParts& parts, const ComputeEvents& events, const Body& body,
                 Sequences& sequences) {
  const SlotEvents own(parts, events, body);
  for (std::uint32_t rank = 0; rank < parts.ranks(); ++rank)
    for (const Slot& slot : body.orders[rank]) own.append(rank, slot, sequences[rank]);
}

}  // namespace

Sequences enclosed(const OrderParts& parts, const ComputeEvents& events, const Sequences& body) {
  const InputSequence input(parts, events);
  Sequences sequences = input.in(Wing::Prefix);
  const Sequences suffix = input.in(Wing::Suffix);
  for (std::uint32_t rank = 0; rank < parts.ranks(); ++rank) {
    append(sequences[rank],
           parts.options.placed.empty() ? body[rank] : with_placed(parts, input, rank, body[rank]));
    append(sequences[rank], suffix[rank]);
  }
  return sequences;
}

Sequences sequences_by_skeleton(const OrderParts& parts, const ComputeEvents& events) {
  Sequences body(parts.ranks());
  for (const Body& each : parts.bodies) append_body(parts, events, each, body);
  return body;
}

Sequences sequences_by_formula(const OrderParts& parts, const ComputeEvents& events) {
  return enclosed(parts, events, sequences_by_skeleton(parts, events));
}

}  // namespace spillway
