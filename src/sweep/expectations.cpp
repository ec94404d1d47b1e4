#include "sweep/expectations.h"

namespace spillway {
namespace {

// Sums over draws, replicas and microbatches, and how many went into them.
class Sums {
 public:
  explicit Sums(const Derived& derived) : derived_(derived), expected_{zeros(derived), Seconds()} {}

  void add(const CostModel& costs) {
    for (std::uint32_t replica = 0; replica < derived_.pipeline.replicas; ++replica) {
      for (std::uint32_t stage = 0; stage < derived_.stages.size(); ++stage) {
        for (std::uint32_t m = 0; m < derived_.pipeline.microbatches; ++m)
          add(costs, StageId(stage), MicrobatchId(m), ReplicaId(replica));
      }
      add_transfers(costs, ReplicaId(replica));
      visits_ += derived_.pipeline.microbatches;
    }
  }

  Expectations means() const {
    Expectations means = expected_;
    for (std::uint32_t id = 0; id < means.stages.size(); ++id) {
      StageExpectation& stage = means.stages[id];
      stage.forward = stage.forward / visits_;
      stage.input_gradient = stage.input_gradient / visits_;
      stage.weight_gradient = stage.weight_gradient / visits_;
      stage.activations /= visits_;
      stage.weight_gradient_activations /= visits_;
      if (stage.activations > 0) continue;
      stage.activations = derived_.stages[id].layers.size();
      stage.weight_gradient_activations = stage.activations / 2;
    }
    if (transfers_ > 0) means.transfer = means.transfer / transfers_;
    return means;
  }

 private:
  static std::vector<StageExpectation> zeros(const Derived& derived) {
    return std::vector<StageExpectation>(derived.stages.size(), {Seconds(), Seconds(), Seconds(), 0, 0});
  }

  void add(const CostModel& costs, StageId id, MicrobatchId m, ReplicaId replica) {
    const auto pass = [&](Pass which) { return costs.pass(derived_, which, id, m, replica); };
    StageExpectation& stage = expected_.stages[id.index()];
    stage.forward += pass(Pass::Forward);
    stage.input_gradient += pass(Pass::InputGradient);
    stage.weight_gradient += pass(Pass::WeightGradient);
    const Held held = costs.held(derived_, id, m, replica);
    stage.activations += held.activations.value();
    stage.weight_gradient_activations += held.for_weight_gradient.value();
  }

  void add_transfers(const CostModel& costs, ReplicaId replica) {
    for (const Event& event : derived_.order.events()) {
      const bool inside =
          event.transfers() && derived_.stage(event.stage).region == derived_.stage(event.peer_stage).region;
      if (!inside) continue;
      expected_.transfer += costs.transfer(derived_, event, replica).alone;
      transfers_ += 1;
    }
  }

  const Derived& derived_;
  Expectations expected_;
  double visits_ = 0;
  double transfers_ = 0;
};

}  // namespace

Expectations expectations_of(const DrawCosts& costs, const Derived& derived,
                             const std::vector<std::uint32_t>& draws) {
  Sums sums(derived);
  for (std::uint32_t draw : draws) sums.add(*costs.of(derived, draw));
  return sums.means();
}

}  // namespace spillway
