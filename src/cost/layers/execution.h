// Layers as a framework runs them: more kernels for an operator, more traffic, a loss that keeps more, what a
// recomputation leaves out. What a forward computes, and what travels, stays as it is.
#pragma once

#include <span>

#include "cost/layers/architecture.h"
#include "cost/layers/layer.h"
#include "platform/framework.h"

namespace spillway {

void run_by(const Framework& framework, std::span<Layer> layers, LoadUnit unit = LoadUnit::Token);

}  // namespace spillway
