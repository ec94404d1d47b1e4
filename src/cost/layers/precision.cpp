#include "cost/layers/precision.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "cost/layers/adapters.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// Products that Megatron-LM runs outside Transformer Engine or in higher precision.
constexpr std::array<std::string_view, 6> kInHigherPrecision = {
    kLogitsName, "router", "shared gate", "patch embedding", kAdapterDown, kAdapterUp};

// Activations of Megatron-LM that can keep their input in FP8 (fused_bias_swiglu.py).
constexpr std::array<std::string_view, 2> kActivations = {"swiglu", "expert swiglu"};

bool is_among(std::span<const std::string_view> names, const Operator& op) {
  return std::ranges::find(names, op.name) != names.end();
}

bool is_narrowed(const Operator& op) {
  return is_product(op) && !is_among(kInHigherPrecision, op);
}

bool runs_narrow(const Operator& op, const Precision& precision, bool exempt) {
  return (is_narrowed(op) && !exempt) || (op.name == kLogitsName && precision.output_projection);
}

bool has_one_scale(Fp8Scaling scaling) {
  return scaling == Fp8Scaling::Delayed || scaling == Fp8Scaling::Tensorwise;
}

Bytes element_of(const Precision& precision) {
  return precision.fp4 ? fp4_element(*precision.fp4) : fp8_element(*precision.fp8);
}

Operands operands_of(const Precision& precision) {
  if (precision.fp4) return Operands::Fp4;
  return precision.fp8 == Fp8Scaling::Blockwise ? Operands::Fp8Blocks : Operands::Fp8;
}

Bytes moved_by_a_cast(const Precision& precision, Bytes copies) {
  const bool reads_twice = precision.fp4 || precision.fp8 == Fp8Scaling::Tensorwise;
  return (reads_twice ? 2 : 1) * kElement + copies;
}

bool scales_layouts_apart(const Precision& precision) {
  return precision.fp4 || precision.fp8 == Fp8Scaling::Mxfp8;
}

// Nothing of a frozen product is needed as columns but its weight, for the input gradient.
void freeze(const Precision& precision, bool any_layout, bool input_gradient, Operator& op) {
  const Bytes element = element_of(precision);
  const bool lies_twice = scales_layouts_apart(precision) && input_gradient;
  const bool lies_well =
      lies_twice || !input_gradient || (any_layout && precision.fp8 && has_one_scale(*precision.fp8));
  op.cast = moved_by_a_cast(precision, element);
  op.weight_copies = (lies_twice ? 2 : 1) * element;
  op.primary_copies = true;
  op.laid_out_again = lies_well ? Bytes() : 2 * element;
}

void narrow(const Precision& precision, bool any_layout, Gradients gradients, Operator& op) {
  const double smaller = element_of(precision) / kElement;
  op.operands = operands_of(precision);
  op.cast = moved_by_a_cast(precision, weight_copies(precision, any_layout));
  const bool keeps_before_the_cast = op.chunks.where != InChunks::Where::Apart;
  if (!keeps_before_the_cast) {
    op.kept = op.kept * smaller;
    op.kept_outside = op.kept_outside * smaller;
  }
  op.weight_copies = weight_copies(precision, any_layout);
  op.primary_copies = precision.primary_weights;
  if (op.frozen || !gradients.weight) freeze(precision, any_layout, gradients.input, op);
}

// The product behind attention keeps its input in its own format, so attention keeps its output as well.
// Padded outputs are kept already (execution.cpp), and a kernel in memory needs none.
void keep_output(Operator& attention) {
  if (!attention.fused || attention.pads_values) return;
  attention.output_kept = kElement * static_cast<double>(attention.heads.query * attention.heads.value_width);
  attention.kept.for_backward += attention.output_kept;
}

void narrow_attention(Fp8Scaling scaling, Operator& op) {
  const Bytes statistics = kStatistic * static_cast<double>(op.heads.query);
  const Bytes inputs = (op.kept.for_backward - statistics) / 2;
  const Bytes element = scaling == Fp8Scaling::Delayed ? Bytes(1) : kElement;
  op.operands = Operands::Fp8;
  op.cast = moved_by_a_cast({.fp8 = scaling}, weight_copies({.fp8 = scaling}, true));
  op.output_kept = element * static_cast<double>(op.heads.query * op.heads.value_width);
  op.kept.for_backward = op.kept.for_input_gradient = inputs + statistics + op.output_kept;
}

// A frozen product keeps no input: attention keeps its output itself, or an adapter does.
bool keeps_own_input(const Operator& reader) {
  return is_narrowed(reader) && !reader.frozen;
}

void run_in(const Precision& precision, bool any_layout, Gradients gradients, bool exempt, Layer& layer) {
  for (std::size_t i = 0; i < layer.operators.size(); ++i) {
    Operator& op = layer.operators[i];
    const bool read_by_product = i + 1 < layer.operators.size() && keeps_own_input(layer.operators[i + 1]);
    if (precision.narrow_products() && runs_narrow(op, precision, exempt)) {
      narrow(precision, any_layout, gradients, op);
      layer.gathered_size = element_of(precision) / kElement;
    }
    if (op.kind != OperatorKind::Attention || exempt) continue;
    if (precision.fp8_attention && op.fused)
      narrow_attention(precision.fp8.value_or(Fp8Scaling::Tensorwise), op);
    else if (precision.narrow_products() && read_by_product)
      keep_output(op);
  }
}

// Megatron-LM casts the input down where it is kept, and up before the gradient.
void keep_input_in_fp8(Layer& layer) {
  for (Operator& op : layer.operators) {
    if (!is_among(kActivations, op)) continue;
    op.kept = op.kept * (Bytes(1) / kElement);
    op.kept_outside = op.kept_outside * (Bytes(1) / kElement);
    op.stored_in_fp8 = op.kept.for_input_gradient / Bytes(1);
  }
}

// Layers that can be exempt by number: those of the decoder or encoder proper, not of ends or predictions
// (megatron/core/fp8_utils.py, is_first_last_bf16_layer counts num_layers).
std::vector<std::size_t> numbered(std::span<const Layer> layers) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& operators = layers[i].operators;
    const bool predicts = std::ranges::find(operators, "prediction", &Operator::name) != operators.end();
    if (!predicts && std::ranges::any_of(operators, is_narrowed)) found.push_back(i);
  }
  return found;
}

std::vector<bool> exempt_layers(const Precision& precision, std::span<const Layer> layers) {
  std::vector<bool> exempt(layers.size(), false);
  const std::vector<std::size_t> layer = numbered(layers);
  for (std::size_t i = 0; i < layer.size(); ++i)
    exempt[layer[i]] = i < precision.start_in_bf16 || layer.size() - i <= precision.end_in_bf16;
  return exempt;
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

Bytes fp4_element(Fp4Scaling) {
  return kFp4Element;
}

Bytes weight_copies(const Precision& precision, bool any_layout) {
  const bool one = any_layout && precision.fp8 && has_one_scale(*precision.fp8);
  return (one ? 1 : 2) * element_of(precision);
}

bool has_stored_activations(std::span<const Layer> layers) {
  return std::ranges::any_of(layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.operators,
                               [](const Operator& op) { return is_among(kActivations, op); });
  });
}

Bytes gathered_weight(const Precision& precision) {
  if (!precision.primary_weights || precision.fp8 == Fp8Scaling::Mxfp8) return kElement;
  return precision.fp4 ? Bytes(0.5) : Bytes(1);
}

void run_in(const Precision& precision, bool any_layout, Gradients gradients, std::span<Layer> layers) {
  const std::vector<bool> exempt = exempt_layers(precision, layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (precision.fp8_activation_input && gradients.input) keep_input_in_fp8(layers[i]);
    run_in(precision, any_layout, gradients, exempt[i], layers[i]);
  }
}

}  // namespace spillway
