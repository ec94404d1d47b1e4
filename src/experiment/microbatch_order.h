// In which order a step takes its microbatches. The loss is a sum over them and their sizes are known before
// the step, so they may run in any order: position i of the order graph then runs microbatch p[i] of the
// draw. The graph stays as it is; the prices are looked up elsewhere. Future work of the paper (conclusion,
// "loss-preserving metadata-guided reordering").
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/price.h"

namespace spillway {

enum class MicrobatchOrder {
  AsSampled,
  HeaviestFirst,  // by transposed forward; equals as sampled
  LightestFirst,
  Makespan  // local search on the longest path, from each of the others
};

// Every order by its name.
inline constexpr std::array<std::pair<std::string_view, MicrobatchOrder>, 4> kMicrobatchOrders{{
    {"as-sampled", MicrobatchOrder::AsSampled},
    {"heaviest-first", MicrobatchOrder::HeaviestFirst},
    {"lightest-first", MicrobatchOrder::LightestFirst},
    {"makespan", MicrobatchOrder::Makespan},
}};
std::string to_string(MicrobatchOrder order);

// The orders that follow from the weights alone.
inline constexpr std::array<MicrobatchOrder, 3> kOrderRules = {
    MicrobatchOrder::AsSampled, MicrobatchOrder::HeaviestFirst, MicrobatchOrder::LightestFirst};

// Position -> microbatch as sampled; each of them once.
using Permutation = std::vector<MicrobatchId>;
bool is_permutation(const Permutation& order);

// By microbatch as sampled: its forward in the transposed region that feeds a pipelined one. Where there is
// none, or that does not tell the microbatches of any replica apart (relative to 1e-9 of a forward), its
// whole forward. Weights that differ by less are
// made equal. One list per replica.
std::vector<std::vector<Seconds>> microbatch_weights(const Outline& derived, const CostModel& costs);

// One permutation per replica, each by its own weights. Contract: `order` is one of kOrderRules.
std::vector<Permutation> order_by_rule(MicrobatchOrder order,
                                       const std::vector<std::vector<Seconds>>& weights);

// Prices position i of a replica as the microbatch that runs there. Views both arguments, which outlive it:
// a permutation that is changed in place is priced as changed. Contract: one permutation of M for each
// replica that it prices.
class ReorderedCosts final : public CostModel {
 public:
  ReorderedCosts(const CostModel& as_sampled, const std::vector<Permutation>& by_replica);

  Seconds pass(const Outline& derived, Pass pass, StageId stage, MicrobatchId microbatch,
               ReplicaId replica) const override;
  Seconds overlapped(const Outline& derived, const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Outline& derived, const Event& event, ReplicaId replica) const override;
  Bytes received(const Outline& derived, const Event& event, ReplicaId replica) const override;
  bool uniform(const Outline& derived, const Event& event) const override;
  std::vector<SlabCollective> collectives(const Outline& derived, const Event& event,
                                          ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Derived& derived) const override;
  ModelState model_state(const Outline& derived, StageId stage) const override;
  Held held(const Outline& derived, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(const Outline& derived, StageId stage) const override;
  Bytes workspace(const Outline& derived, RankId rank) const override;

 private:
  MicrobatchId at(MicrobatchId position, ReplicaId replica) const {
    return by_replica_[replica.index()][position.index()];
  }
  Event moved(Event event, ReplicaId replica) const;

  const CostModel& as_sampled_;
  const std::vector<Permutation>& by_replica_;
};

}  // namespace spillway
