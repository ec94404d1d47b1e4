#include "optimize/expectations.h"

#include "base/exact_sum.h"
#include "base/ticks.h"

namespace spillway {
namespace {

// Sums that do not depend on the order in which they are taken.
struct StageSums {
  ExactSum forward, input_gradient, weight_gradient, activations, weight_gradient_activations;

  StageExpectation over(double visits) const {
    return {Seconds(forward.over(visits)), Seconds(input_gradient.over(visits)),
            Seconds(weight_gradient.over(visits)), activations.over(visits),
            weight_gradient_activations.over(visits)};
  }
};

void round_to_ticks(Expectations& expected) {
  std::vector<Seconds*> times = {&expected.transfer};
  for (StageExpectation& stage : expected.stages)
    times.insert(times.end(), {&stage.forward, &stage.input_gradient, &stage.weight_gradient});
  round_to_ticks(times);
}

// Sums over draws, replicas and microbatches, and how many went into them.
class Sums {
 public:
  explicit Sums(const Derived& derived) : derived_(derived), stages_(derived.stages.size()) {}

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
    Expectations means;
    for (std::uint32_t id = 0; id < stages_.size(); ++id) {
      StageExpectation& stage = means.stages.emplace_back(stages_[id].over(visits_));
      if (stage.activations > 0) continue;
      stage.activations = derived_.stages[id].layers.size();
      stage.weight_gradient_activations = stage.activations / 2;
    }
    if (transfers_ > 0) means.transfer = Seconds(transfer_.over(transfers_));
    round_to_ticks(means);
    return means;
  }

 private:
  void add(const CostModel& costs, StageId id, MicrobatchId m, ReplicaId replica) {
    const auto pass = [&](Pass which) { return costs.pass(which, id, m, replica); };
    StageSums& stage = stages_[id.index()];
    stage.forward.add(pass(Pass::Forward));
    stage.input_gradient.add(pass(Pass::InputGradient));
    stage.weight_gradient.add(pass(Pass::WeightGradient));
    const Held held = costs.held(id, m, replica);
    stage.activations.add(held.activations);
    stage.weight_gradient_activations.add(held.for_weight_gradient);
  }

  void add_transfers(const Pricing& costs, ReplicaId replica) {
    for (const Event& event : derived_.order.events()) {
      const bool inside =
          event.transfers() && derived_.stage(event.stage).region == derived_.stage(event.peer_stage).region;
      if (!inside) continue;
      transfer_.add(costs.transfer(event, replica).alone);
      transfers_ += 1;
    }
  }

  const Derived& derived_;
  std::vector<StageSums> stages_;
  ExactSum transfer_;
  double visits_ = 0;
  double transfers_ = 0;
};

}  // namespace

Expectations expectations_of(const DrawCosts& costs, const Derived& derived, const PlanningDraws& draws) {
  Sums sums(derived);
  for (const std::uint32_t draw : draws.numbers()) sums.add(*costs.of(derived, draw));
  return sums.means();
}

}  // namespace spillway
