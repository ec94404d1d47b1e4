// The time of the passes of a slab of layers on one device: the sum over its operators, and the host that
// issues their kernels. If a framework states the time of a launch, host and device are two clocks, operator
// by operator in order (host_queue.h). Operators of a layer that
// follow each other in a CUDA graph are issued by one launch. The clocks meet where a pass begins: at a
// blocking transfer, or at data that the host reads. Otherwise a pass takes at least the time of all its
// launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cost/operators/operator_passes.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/issued_collectives.h"
#include "cost/slabs/recomputation.h"
#include "platform/framework.h"

namespace spillway {

// Equal operators of a slab, counted, with the number of forwards that a backward repeats.
struct CountedOperator {
  Operator op;
  double count;
  double repeated = 0;

  friend bool operator==(const CountedOperator&, const CountedOperator&) = default;
};

// Consecutive equal layers; each has these operators in this order.
struct LayerRun {
  std::vector<std::size_t> operators;  // indices into SlabOperators::counted
  std::vector<double> repeated;        // by operator: forwards that a backward repeats
  std::uint64_t layers;
  bool whole_again = false;  // their forwards run again in the backward

  friend bool operator==(const LayerRun&, const LayerRun&) = default;
};

struct SlabOperators {
  std::vector<CountedOperator> counted;
  std::vector<LayerRun> runs;

  friend bool operator==(const SlabOperators&, const SlabOperators&) = default;
};
SlabOperators slab_operators(std::span<const Layer> layers, const Recomputation& recomputation = {});

// The host issues kernels this way.
struct HostIssue {
  Seconds launch = {};    // of one kernel
  bool in_order = false;  // two clocks; otherwise a pass takes the longer of device and host
  // For two clocks:
  double before = 0;   // kernels that a forward begins with, in addition to its operators
  Seconds graph = {};  // launch of one CUDA graph
  double speed = 1;    // over the hosts that operators' host times are stated for
  double experts = 1;  // devices that share the routed experts
  // If states are sharded (Sharding): the wait before each layer's forward, recomputed or not, and its hooks.
  LayerWait waits = LayerWait::None;
  Seconds layer = {};
  // Collectives inside passes, each on the host that operators' host times are stated for.
  Seconds collective = {};
  IssuedCollectives collectives = {};
};

struct SlabTimes {
  Seconds forward;
  Seconds input_gradient;      // includes its recomputation
  Seconds weight_gradient;     // zero if the slab is frozen
  Seconds weight_after_input;  // time that it adds to the input gradient in a pass of both
  // Attention and waiting for the host. Context parallelism's sends of keys and values hide under them.
  Seconds attention_forward;
  Seconds attention_backward;
  Seconds recomputed;  // part of the input gradient
  // Where layers wait for the device: the host's part of the passes, one layer after the other.
  Seconds issued_forward = {};
  Seconds issued_backward = {};  // of both gradients
  Seconds host_link = {};        // copies to the host in a forward, and as long back in a backward

  Seconds backward() const { return input_gradient + weight_after_input; }

  SlabTimes operator*(double factor) const {
    return {forward * factor,           input_gradient * factor,
            weight_gradient * factor,   weight_after_input * factor,
            attention_forward * factor, attention_backward * factor,
            recomputed * factor,        issued_forward * factor,
            issued_backward * factor,   host_link * factor};
  }
};

// Gradients that are not wanted take no time, and no pass takes any without tokens.
SlabTimes slab_times(const SlabOperators& operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, const HostIssue& host);

// The passes of a slab's operators under one load after the other. Views the arguments of its constructor.
class PassesUnderLoad {
 public:
  // `tokens_differ`: loads rarely have equally many tokens.
  PassesUnderLoad(std::span<const CountedOperator> operators, const Split& split, const OperatorTimes& times,
                  bool tokens_differ = false);

  // The operators that read sequences, or all if tokens differ. The others are priced again only if the
  // number of tokens changes.
  std::span<const std::size_t> reading() const { return reading_; }

  // Sets the passes to those under `load`. `known(j)` are the passes of operator reading()[j]. Contract:
  // load.tokens > 0.
  template <class Known>
  void set(const SlabLoad& load, Known known) {
    set_tokens(load);
    for (std::size_t j = 0; j < reading_.size(); ++j) passes_[reading_[j]] = known(j);
  }

  // By operator.
  std::span<const OperatorPasses> passes() const { return passes_; }
  OperatorPasses price(std::size_t i, const SlabLoad& load) const {
    return operator_passes(operators_[i].op, split_, load, times_);
  }

 private:
  void set_tokens(const SlabLoad& load);

  std::span<const CountedOperator> operators_;
  const Split& split_;
  const OperatorTimes& times_;
  std::vector<std::size_t> reading_;
  double tokens_ = 0;  // of the load before
  std::vector<OperatorPasses> passes_;
};

// Returns slab_times() of one load after the other. Views all arguments.
class SlabPricer {
 public:
  SlabPricer(const SlabOperators& operators, const Split& split, const OperatorTimes& times,
             Gradients gradients, const HostIssue& host, bool tokens_differ = false)
      : operators_(operators),
        passes_(operators.counted, split, times, tokens_differ),
        gradients_(gradients),
        host_(host) {}

  SlabTimes of(const SlabLoad& load);
  // The same if the passes of the operators of PassesUnderLoad::reading() are known.
  template <class Known>
  SlabTimes of(const SlabLoad& load, Known known) {
    if (load.tokens <= 0) return {};
    passes_.set(load, known);
    return timed();
  }

  const PassesUnderLoad& passes() const { return passes_; }

 private:
  SlabTimes timed() const;

  const SlabOperators& operators_;
  PassesUnderLoad passes_;
  Gradients gradients_;
  const HostIssue& host_;
};

}  // namespace spillway
