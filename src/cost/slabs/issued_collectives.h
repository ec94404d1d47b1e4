// How many collectives the host issues around an operator. They are those of slab_collectives.h, each with
// the operator that it follows or leads to:
//
//                                         forward             gradients
//   last product of a sublayer (Rows)     gather, scatter     gather, scatter; gather of the inputs (trained)
//     without sequence parallelism        all-reduce          all-reduce
//   dispatch, combine                     an exchange each    an exchange each
//   attention, a ring of keys, values     context - 1 sends   twice as many
//   attention, Ulysses                    two all-to-alls     two all-to-alls
//
// Exchanges count once, however many messages a framework makes of one. Left out: collectives of the model's
// ends, of tensors that share an expert, and of sharded states, which have their hooks (Sharding::layer).
#pragma once

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"

namespace spillway {

class IssuedCollectives {
 public:
  IssuedCollectives() = default;  // none
  explicit IssuedCollectives(const Parallelism& parallelism);

  double forward(const Operator& op) const;
  double gradients(const Operator& op) const;  // with the input gradient

 private:
  double sublayer_forward_ = 0;
  double sublayer_input_ = 0;
  double sublayer_weight_ = 0;  // if the product is trained
  double exchange_ = 0;
  double attention_forward_ = 0;
  double attention_gradients_ = 0;
};

}  // namespace spillway
