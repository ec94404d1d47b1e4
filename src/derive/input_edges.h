// What DeriveOptions ask of a transposed input beyond its place in the ranks' sequences: a barrier before the
// body, encodes made at once, gradients that leave last, parameters that are broadcast. Private to
// src/derive.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "derive/dependencies.h"
#include "derive/sequence.h"

namespace spillway {

class InputEdges {
 public:
  // Adds the edges, and the broadcasts. Views all but the sequences.
  InputEdges(const OrderParts& parts, const ComputeEvents& events, const Dependencies& dependencies,
             const Sequences& sequences, OrderBuilder& builder);

  // The transfers that leave a rank when it is done with a computing event, written over `sent`.
  void sent_after(std::uint32_t event, std::vector<std::uint32_t>& sent) const;

 private:
  using Ids = std::vector<std::uint32_t>;

  void gather_first(const Sequences& sequences);
  void encode_at_once(const Ids& sequence);
  void hold_gradients(const Ids& sequence);
  void broadcast(const Sequences& sequences);
  bool in_body(std::uint32_t event) const {
    return parts_.stage(builder_.events()[event].stage).region.index() > 0;
  }
  bool crosses(std::uint32_t sent) const {
    return sent != kNoEvent && builder_.events()[sent].rank != builder_.events()[sent].peer_rank;
  }
  bool returns() const { return parts_.options.input.backwards == InputBackwards::Returned; }
  bool is_held(std::uint32_t sent) const;
  std::vector<Ids> batches(const Ids& passes) const;
  std::uint32_t gradient_of(std::uint32_t backward) const;

  const OrderParts& parts_;
  const ComputeEvents& events_;
  const Dependencies& dependencies_;
  OrderBuilder& builder_;
  std::map<std::uint32_t, Ids> batched_;  // by forward of a batch: the batch for its last one, else nothing
  std::map<std::uint32_t, Ids> held_;     // by the last event of a rank's body: the gradients that leave then
};

}  // namespace spillway
