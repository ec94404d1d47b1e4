// Changes layers to the way a framework runs them: more kernels for an operator, more traffic, a loss that
// keeps more, operators that a recomputation leaves out. The forward computes and sends the same.
#pragma once

#include <span>

#include "cost/layers/architecture.h"
#include "cost/layers/layer.h"
#include "platform/framework.h"

namespace spillway {

void run_by(const Framework& framework, std::span<Layer> layers, LoadUnit unit = LoadUnit::Token);

}  // namespace spillway
