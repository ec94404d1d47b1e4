#include "cost/slabs/pass_flops.h"

#include "base/error.h"

namespace spillway {

Flops pass_flops(const LayerCost& cost, Gradients wanted, Pass pass, DeviceLoad load) {
  switch (pass) {
    case Pass::Forward:
      return cost.forward(load);
    case Pass::WeightGradient:
      return wanted.weight ? cost.weights(load) - cost.frozen_weights_per_token * load.tokens : Flops();
    case Pass::InputGradient:
      return wanted.input ? cost.weights(load) + 2 * cost.mixing(load) : Flops();
    case Pass::Backward:
      return pass_flops(cost, wanted, Pass::WeightGradient, load) +
             pass_flops(cost, wanted, Pass::InputGradient, load);
  }
  throw ContractBreach("unknown pass");
}

}  // namespace spillway
