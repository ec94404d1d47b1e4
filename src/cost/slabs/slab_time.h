// What the passes of a slab of layers take on one device: the sum over its operators, and not less than the
// host needs to launch their kernels.
#pragma once

#include <span>
#include <vector>

#include "cost/operators/operator_passes.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/recomputation.h"

namespace spillway {

// Equal operators of a slab once, with how many there are, and how many forwards a backward repeats.
struct CountedOperator {
  Operator op;
  double count;
  double repeated = 0;

  friend bool operator==(const CountedOperator&, const CountedOperator&) = default;
};
std::vector<CountedOperator> counted_operators(std::span<const Layer> layers,
                                               const Recomputation& recomputation = {});

struct SlabTimes {
  Seconds forward;
  Seconds input_gradient;   // with what is recomputed for it
  Seconds weight_gradient;  // zero where the slab is frozen
  // Attention, and waiting for the host: what keys and values go round the context-parallel group under.
  Seconds attention_forward;
  Seconds attention_backward;
  Seconds recomputed;  // of the input gradient

  Seconds backward() const { return input_gradient + weight_gradient; }

  SlabTimes operator*(double factor) const {
    return {forward * factor,           input_gradient * factor,     weight_gradient * factor,
            attention_forward * factor, attention_backward * factor, recomputed * factor};
  }
};

// What is not computed costs nothing: gradients that are not wanted, and all of it without tokens.
SlabTimes slab_times(std::span<const CountedOperator> operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, Seconds launch);

}  // namespace spillway
