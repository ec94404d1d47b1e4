// What the passes of a slab of layers take on one device: the sum over its operators, and the host that
// issues their kernels. Where a framework says what a launch takes, host and device are two clocks, operator
// by operator in their order (host_queue.h), which meet where a pass begins: at a blocking transfer, at data
// read by the host. Elsewhere a pass takes not less than all its launches.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Equal layers that follow each other, each of these operators in this order.
struct LayerRun {
  std::vector<std::size_t> operators;  // of SlabOperators::counted
  std::vector<double> repeated;        // by operator: forwards that a backward repeats
  std::uint64_t layers;

  friend bool operator==(const LayerRun&, const LayerRun&) = default;
};

struct SlabOperators {
  std::vector<CountedOperator> counted;
  std::vector<LayerRun> runs;

  friend bool operator==(const SlabOperators&, const SlabOperators&) = default;
};
SlabOperators slab_operators(std::span<const Layer> layers, const Recomputation& recomputation = {});

// How the host issues kernels.
struct HostIssue {
  Seconds launch = {};    // of one kernel
  bool in_order = false;  // two clocks; else the longer of device and host
  double before = 0;      // kernels that a forward begins with, beside its operators; of two clocks
};

struct SlabTimes {
  Seconds forward;
  Seconds input_gradient;      // with what is recomputed for it
  Seconds weight_gradient;     // zero where the slab is frozen
  Seconds weight_after_input;  // of it, what a pass of both takes longer than the input gradient
  // Attention, and waiting for the host: what keys and values go round the context-parallel group under.
  Seconds attention_forward;
  Seconds attention_backward;
  Seconds recomputed;  // of the input gradient

  Seconds backward() const { return input_gradient + weight_after_input; }

  SlabTimes operator*(double factor) const {
    return {forward * factor,           input_gradient * factor,
            weight_gradient * factor,   weight_after_input * factor,
            attention_forward * factor, attention_backward * factor,
            recomputed * factor};
  }
};

// What is not computed costs nothing: gradients that are not wanted, and all of it without tokens.
SlabTimes slab_times(const SlabOperators& operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, const HostIssue& host);

}  // namespace spillway
