// The memory of a slab of layers on one device for one microbatch, and while a pass of it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/footprint.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/offload.h"
#include "cost/slabs/recomputation.h"

namespace spillway {

// The role of a slab in the step.
struct SlabUse {
  LoadUnit unit;
  std::uint32_t width;  // elements per token (patch) that pass from one layer to the next
  Gradients gradients;
  Recomputation recompute;
  Bytes gradient_buffer = Bytes(4);  // of an accumulated gradient
  Offload offload = {};
  bool keeps_gradients = false;  // whole, all through the step (ShardForms::reduces_once)
};

// The memory of a slab on one device for one microbatch, by its load.
//
// Activations: each operation keeps some. Those inside a sublayer are split over the tensor-parallel group.
// Those outside are split with sequence parallelism and whole without it. Those of experts are the busiest
// rank's.
//   None       all of that
//   Selective  without the memory per pair, the scores of unfused attention; the backward makes one layer's
//              again (arXiv 2205.05198, section 5); fused attention has none
//   Full       each layer's input, and all of the model's ends; the backward makes one layer's activations
//              again, and the largest counts; layers recomputed together keep one input and are made again
//              together
//   modules    without what the modules make again from what they keep; the backward makes one at a time
// A split backward leaves the inputs of its products and the gradients of their outputs to the weight
// gradient (Qi et al. 2024, Zero Bubble, arXiv 2401.10241, table 1), recomputed or not.
//
// A loss in chunks keeps its input or that input's gradient, and may keep one of its weights
// (cost/layers/chunked_loss.h).
//
// Offloaded activations are on the device while their layer runs, and while the next layer runs: in a forward
// they are then copied out, in a backward they were fetched ahead (offload.h).
//
// Workspace: while an operator runs, its inputs and outputs (in a backward the gradients of both) add to what
// the operators before it keep. In a backward the operators after it have freed theirs; in a forward they
// keep nothing yet. A framework may state that more of an operator's tensors live at once ("live"). The input
// of a column product is gathered, and the output of a row product is a sum of partial outputs; both are as
// wide as the sequence. A backward also holds the gradient along the residual connections, received from the
// next stage. Zero2 and Zero3 add the gradients of the layer whose backward runs, until they are scattered.
// Zero3 adds the gathered parameters of two layers: the one that runs and the next, prefetched (PyTorch FSDP,
// BackwardPrefetch.BACKWARD_PRE, https://docs.pytorch.org/docs/stable/fsdp.html), unless they stay gathered
// (Parallelism). Not counted: libraries' buffers, fragmentation.
class SlabMemory {
 public:
  // Contract: check_parallelism finds nothing.
  SlabMemory(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism);

  // `load`: the tokens of a tensor-parallel group (its members' together: the sequence over the context
  // ranks), or the patches of one member; pairs likewise.
  Held operator()(DeviceLoad load) const;
  // The bytes that a forward copies to the host, and a backward fetches.
  Bytes offloaded(DeviceLoad load) const { return offloaded_.of(load); }
  // Returns true if some memory grows with the pairs of tokens.
  bool by_pairs() const;

 private:
  // Bytes that grow with the load.
  struct Rate {
    Bytes per_token;
    Bytes per_pair;

    Rate& operator+=(const Rate& other);
    Rate& operator-=(const Rate& other);
    friend Rate operator+(Rate a, const Rate& b) { return a += b; }
    friend Rate operator-(Rate a, const Rate& b) { return a -= b; }
    bool exceeds(const Rate& other) const;  // in either figure
    Bytes of(DeviceLoad load) const { return per_token * load.tokens + per_pair * load.pairs; }
  };
  // The largest of several rates; rates that are never the largest are dropped.
  struct Largest {
    std::vector<Rate> rates;

    void add(const Rate& rate);
    Bytes of(DeviceLoad load) const;  // at least zero
    bool by_pairs() const;
  };
  struct Split;

  using Operators = std::vector<std::reference_wrapper<const Operator>>;
  // The operators of a layer, or of several recomputed together, and how. The last unit has those at the
  // model's ends, which are not recomputed.
  struct Recomputed {
    Operators operators;
    Recompute what;
    Modules modules;
  };
  static std::vector<Recomputed> units_of(std::span<const Layer> layers, const Recomputation& recomputation);

  Rate kept_in_full(const Operators& operators, const SlabUse& use, const Split& split) const;
  Rate outputs_kept(const Operators& operators, const SlabUse& use, const Split& split) const;
  Rate stored(const Recomputed& unit, const SlabUse& use, const Split& split) const;
  Rate offloaded(const Recomputed& unit, const SlabUse& use, const Split& split) const;
  Rate made_again_at_once(const Recomputed& unit, const SlabUse& use, const Split& split) const;
  void walk(const Recomputed& unit, const SlabUse& use, const Split& split, const Rate& before);

  // States that ZeRO shares out are whole while their layer runs.
  void unshare(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism);

  Rate activations_;
  Largest one_layer_;  // of activations_: units that are no end of the model
  Rate offloaded_;
  Bytes of_weights_;           // whatever the load
  Bytes for_weight_gradient_;  // per token
  Largest recomputed_;
  Largest forward_;   // in addition to activations_
  Largest backward_;  // in addition to activations_; includes recomputed memory
  Bytes gathered_parameters_;
  Bytes whole_gradients_;
};

}  // namespace spillway
