// Projectors: what makes backbone tokens of a tower's patches. Costs are per patch; an operator that runs
// once for n patches has 1 / n rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"

namespace spillway {

// One step of a projector: a product (also a convolution), or a gated pair of products. A norm of its outputs
// and an activation follow if it has them.
struct ProjectorStage {
  std::uint32_t width = 0;        // outputs
  std::uint32_t reads = 0;        // inputs; 0: the width of the stage before it, or of joined patches
  std::uint32_t patches = 0;      // for each of its outputs; 0: those of a token
  std::uint32_t gated_inner = 0;  // not 0: SwiGLU of this inner width
  bool bias = false;
  std::optional<NormKind> norm = {};
  bool activated = false;

  friend bool operator==(const ProjectorStage&, const ProjectorStage&) = default;
};

// Learned queries that attend to the patches of an image (MiniCPM-V, modeling_minicpmv.py and resampler.py
// beside its weights). Every query becomes a token.
struct Resampler {
  std::uint32_t queries = 0;
  std::uint32_t heads = 0;

  friend bool operator==(const Resampler&, const Resampler&) = default;
};

// A norm, and products with an activation between each two; or stages, or a resampler.
struct Projector {
  // Patch norms every patch, before merge x merge of them are joined. Joined norms the joined patches.
  enum class Norm : std::uint8_t { None, Patch, Joined };
  Norm norm = Norm::Patch;
  NormKind kind = NormKind::Layer;
  bool pooled = false;  // patches are averaged instead of joined
  bool biases = true;
  // Output widths of the products before the last; absent: one product, as wide as its input.
  std::optional<std::vector<std::uint32_t>> inner = {};
  // Not empty: these, instead of the products. Their last width is the backbone's. Every device of a
  // tensor-parallel group has all of their weights.
  std::vector<ProjectorStage> stages = {};
  std::optional<Resampler> resampler = {};  // instead of the products
  std::uint32_t learned = 0;  // weights beside them: learned tokens that mark rows and views, scales

  friend bool operator==(const Projector&, const Projector&) = default;
};

// The ends that a projector connects. `patches`: of a token.
struct ProjectorEnds {
  std::uint64_t patch_width;
  std::uint32_t patches;
  std::uint32_t output_width;
};

// Returns the sizes of stages and of a resampler that describe no network.
std::vector<Violation> check_projector(const Projector& projector);

// The operators that make backbone tokens of patches, at an end of the tower.
Layer projector_layer(const Projector& projector, const ProjectorEnds& ends);

// The layer with its parameters, run once for every `patches` patches.
Layer once_per(Layer layer, double patches);

}  // namespace spillway
