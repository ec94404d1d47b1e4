// Changes layers to the way a framework runs them: more kernels for an operator, more traffic, a loss that
// keeps more, operators that a recomputation leaves out. The forward computes and sends the same.
#pragma once

#include <span>
#include <tuple>

#include "cost/layers/architecture.h"
#include "cost/layers/layer.h"
#include "platform/framework.h"

namespace spillway {

// What run_by() reads of a framework. Built layers are remembered by these values.
using LayerStatements = std::tuple<Framework::Operators, Framework::Operators, bool, bool, bool>;
inline auto layer_statements(const Framework& of) {
  return std::tie(of.operators, of.encoder_operators, of.fused_loss, of.pads_values,
                  of.recompute_stops_early);
}

void run_by(const Framework& framework, std::span<Layer> layers, LoadUnit unit = LoadUnit::Token);

}  // namespace spillway
