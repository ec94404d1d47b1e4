// The computing events and their numbers in the builder. Private to src/derive.
#pragma once

#include <optional>
#include <vector>

#include "derive/assemble.h"

namespace spillway {

// Adds every computing event. Each stage on a microbatch's path has a forward and, if Lemma 1 says so, a
// backward. The bodies' orders (without them the skeletons) decide whether a backward is whole or split. A
// forward and a backward that run together are one event.
class ComputeEvents {
 public:
  ComputeEvents(const OrderParts& parts, OrderBuilder& builder);

  // The events of a stage on the microbatch's path. An event that runs a forward and a backward together is
  // both.
  std::uint32_t forward(StageId stage, std::uint32_t m) const { return forward_[place(stage, m)]; }
  // The event that makes the input's gradient: the whole backward, or the input half; kNoEvent if there is
  // none.
  std::uint32_t backward(StageId stage, std::uint32_t m) const { return backward_[place(stage, m)]; }
  // The event that completes the stage's weight gradients: the weight half if there is one, else the
  // backward.
  std::uint32_t last_backward(StageId stage, std::uint32_t m) const {
    const std::uint32_t weight = weight_[place(stage, m)];
    return weight == kNoEvent ? backward(stage, m) : weight;
  }
  // kNoEvent if the backward is whole.
  std::uint32_t weight_half(StageId stage, std::uint32_t m) const { return weight_[place(stage, m)]; }

 private:
  struct Row {
    std::uint32_t first;  // place of microbatch 0, index 0
    std::uint32_t length;
  };
  // A microbatch and a stage on its path.
  struct Visit {
    StageId stage;
    std::uint32_t m;
  };

  std::size_t place(StageId stage, std::uint32_t m) const {
    const Stage& at = parts_.stage(stage);
    const Row& row = rows_[at.region.index()];
    return row.first + std::size_t{m} * row.length + at.index;
  }
  std::vector<Visit> visits(std::size_t region, bool backward = false) const;
  void note_bodies();
  void note(const Body& body, std::uint32_t rank, const Slot& slot);
  void add_region(std::size_t region, OrderBuilder& builder);
  Event event_of(EventKind kind, Visit visit) const;
  Event overlapped(Visit forward, Visit backward) const;

  const OrderParts& parts_;
  std::vector<Row> rows_;                      // by region
  std::vector<std::uint32_t> joined_;          // by stage: replicas that advance together
  std::vector<bool> split_;                    // by place: true if the backward is split
  std::vector<std::optional<Visit>> partner_;  // by place: the backward that the forward runs with
  std::vector<bool> paired_;                   // by place: true if the backward runs with a forward
  std::vector<std::uint32_t> forward_, backward_, weight_;  // by place
};

}  // namespace spillway
