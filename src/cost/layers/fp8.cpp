#include "cost/layers/fp8.h"

#include <algorithm>

#include "base/error.h"
#include "cost/layers/adapters.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// Products that Megatron-LM runs outside Transformer Engine or in higher precision.
constexpr std::array<std::string_view, 6> kInHigherPrecision = {
    "logits", "router", "shared gate", "patch embedding", kAdapterDown, kAdapterUp};

bool in_fp8(const Operator& op) {
  return is_product(op) && std::ranges::find(kInHigherPrecision, op.name) == kInHigherPrecision.end();
}

Bytes moved_by_a_cast(Fp8Scaling scaling, double copies) {
  const Bytes cast = kElement + copies * fp8_element(scaling);
  return scaling == Fp8Scaling::Tensorwise ? cast + kElement : cast;
}

double copies_of_frozen(Fp8Scaling scaling, bool input_gradient) {
  return scaling == Fp8Scaling::Mxfp8 && input_gradient ? 2 : 1;
}

}  // namespace

Bytes fp8_element(Fp8Scaling scaling) {
  switch (scaling) {
    case Fp8Scaling::Delayed:
    case Fp8Scaling::Tensorwise:
      return Bytes(1);
    case Fp8Scaling::Blockwise:
      return kFp8Element;
    case Fp8Scaling::Mxfp8:
      return Bytes(1 + 1.0 / 32);
  }
  throw ContractBreach("unknown scaling");
}

void run_in_fp8(Fp8Scaling scaling, Gradients gradients, std::span<Layer> layers) {
  const double smaller = fp8_element(scaling) / kElement;
  for (Layer& layer : layers) {
    for (Operator& op : layer.operators) {
      if (!in_fp8(op)) continue;
      const bool frozen = op.frozen || !gradients.weight;
      op.cast = moved_by_a_cast(scaling, frozen ? 1 : 2);
      if (frozen) op.frozen_weight = fp8_element(scaling) * copies_of_frozen(scaling, gradients.input);
      op.kept = op.kept * smaller;
      op.kept_outside = op.kept_outside * smaller;
    }
  }
}

}  // namespace spillway
