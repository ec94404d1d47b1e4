// What a device holds of a slab of layers for one microbatch, and while a pass of it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/footprint.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/recomputation.h"

namespace spillway {

// What a slab does in the step.
struct SlabUse {
  LoadUnit unit;
  std::uint32_t width;  // elements per token (patch) that pass from one layer to the next
  Gradients gradients;
  Recomputation recompute;
};

// What a device holds of a slab for one microbatch, by its load.
//
// Activations: what each operation keeps, inner ones split over the tensor-parallel group, outer ones too
// with sequence parallelism and whole without it; experts' by the busiest rank of the group.
//   None       all of that
//   Selective  without what is kept per pair, the scores of unfused attention; in the backward one layer's
//              again (arXiv 2205.05198, section 5); fused attention has none
//   Full       each layer's input, and all of the model's ends; in the backward one layer's activations
//              again, the largest counted; of layers recomputed together their input, and all of them again
//   modules    without what those make again from what they keep; in the backward one of them at a time
// A split backward leaves to the weight gradient the inputs of its products and the gradients of their
// outputs (Qi et al. 2024, Zero Bubble, arXiv 2401.10241, table 1), recomputed or not.
//
// Workspace: while an operator runs, forward or backward, its inputs and outputs (or the gradients of both)
// beside what the operators before it keep; those behind it have freed theirs in a backward, and have yet to
// keep theirs in a forward. The input of a column product is gathered, the output of a row product is a sum
// of partial ones, both as wide as the sequence. In a backward also the gradient that runs along the
// residual connections, which is the one received from the next stage. Zero2 and Zero3 add the gradients of
// the layer whose backward runs, until they are scattered; Zero3 the gathered parameters of two layers, one
// that runs and the next, prefetched (PyTorch FSDP, BackwardPrefetch.BACKWARD_PRE,
// https://docs.pytorch.org/docs/stable/fsdp.html). Not counted: libraries' buffers, fragmentation.
class SlabMemory {
 public:
  // Contract: check_parallelism finds nothing.
  SlabMemory(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism);

  // `load`: the tokens that a tensor-parallel group has (its members' together; the sequence over the context
  // ranks), or the patches of one member; pairs likewise.
  Held operator()(DeviceLoad load) const;

 private:
  // Bytes that grow with the load.
  struct Rate {
    Bytes per_token;
    Bytes per_pair;

    Rate& operator+=(const Rate& other);
    Rate& operator-=(const Rate& other);
    friend Rate operator+(Rate a, const Rate& b) { return a += b; }
    friend Rate operator-(Rate a, const Rate& b) { return a -= b; }
    bool exceeds(const Rate& other) const;  // in either
    Bytes of(DeviceLoad load) const { return per_token * load.tokens + per_pair * load.pairs; }
  };
  // The largest of several; those that never are, are left out.
  struct Largest {
    std::vector<Rate> rates;

    void add(const Rate& rate);
    Bytes of(DeviceLoad load) const;  // at least zero
  };
  struct Split;

  // A layer, or several recomputed together, and how; last what lies at the model's ends, which is not.
  struct Recomputed {
    Layer layer;
    Recompute what;
    Modules modules;
  };
  static std::vector<Recomputed> units_of(std::span<const Layer> layers, const Recomputation& recomputation);

  Rate kept_in_full(const Layer& layer, const SlabUse& use, const Split& split) const;
  Rate outputs_kept(const Layer& layer, const SlabUse& use, const Split& split) const;
  Rate stored(const Recomputed& unit, const SlabUse& use, const Split& split) const;
  Rate made_again_at_once(const Recomputed& unit, const SlabUse& use, const Split& split) const;
  void walk(const Recomputed& unit, const SlabUse& use, const Split& split, const Rate& before);

  // What ZeRO shares out is whole while its layer runs.
  void unshare(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism);

  Rate activations_;
  Bytes for_weight_gradient_;  // per token
  Largest recomputed_;
  Largest forward_;   // beside activations_
  Largest backward_;  // beside activations_, what is recomputed among it
  Bytes gathered_parameters_;
  Bytes whole_gradients_;
};

}  // namespace spillway
