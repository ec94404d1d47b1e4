// Changes layers to the way a framework runs them: more kernels for an operator, more traffic, a loss that
// keeps more, operators that a recomputation leaves out. The forward computes and sends the same.
#pragma once

#include <optional>
#include <span>
#include <tuple>

#include "cost/layers/architecture.h"
#include "cost/layers/layer.h"
#include "platform/framework.h"

namespace spillway {

// The statements of a framework that change layers. run_by() is given nothing else, so built layers can be
// remembered by these values.
using LayerStatements = std::tuple<Framework::Operators, Framework::Operators, bool, bool, bool, bool,
                                   GraphCover, Bytes, std::optional<ChunkedLoss>>;
using LayerStatementsView =
    std::tuple<const Framework::Operators&, const Framework::Operators&, const bool&, const bool&,
               const bool&, const bool&, GraphCover, const Bytes&, const std::optional<ChunkedLoss>&>;
inline LayerStatementsView layer_statements(const Framework& of) {
  return {of.operators,
          of.encoder_operators,
          of.fused_loss,
          of.pads_values,
          of.recompute_stops_early,
          of.kernels_per_expert,
          of.graphs ? of.graphs->value : GraphCover(),
          of.gradient_buffer.value,
          of.chunked_loss};
}

inline constexpr Gradients kAllGradients{.weight = true, .input = true};

// `gradients`: of the block.
void run_by(const LayerStatementsView& statements, std::span<Layer> layers, LoadUnit unit = LoadUnit::Token,
            Gradients gradients = kAllGradients);
inline void run_by(const Framework& framework, std::span<Layer> layers, LoadUnit unit = LoadUnit::Token,
                   Gradients gradients = kAllGradients) {
  run_by(layer_statements(framework), layers, unit, gradients);
}

}  // namespace spillway
