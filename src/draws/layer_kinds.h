// The layers of a job by kind. Layers of one kind have the same operators.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/analytic_costs.h"
#include "derive/derive.h"
#include "model/model.h"

namespace spillway {

// Returns, for each layer of the block, the index of the first layer that is alike.
std::vector<std::uint32_t> kinds_of(const BlockCosts& block);

// Kinds are numbered by their first layers, input first.
struct LayerKinds {
  std::vector<std::uint32_t> firsts;  // by kind: its first layer
  std::vector<std::uint32_t> of;      // by layer of the model: its kind

  std::size_t count() const { return firsts.size(); }
};
// `first_alike` is, for each layer of the model, the first layer of its kind.
LayerKinds layer_kinds(const std::vector<std::uint32_t>& first_alike);
LayerKinds layer_kinds(const Model& model, const AnalyticCosts& costs);

// The stages of a job on one rank with a stage for one layer of each kind.
std::vector<Stage> stages_apart(const LayerKinds& kinds);

}  // namespace spillway
