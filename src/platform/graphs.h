// The part of a framework's passes that CUDA graphs cover. The host issues a graph by one launch, whatever it
// holds.
//
// The parts are those of Megatron-LM (--cuda-graph-modules; docs/user-guide/features/cuda_graph.md):
//   attn            the norm before attention, attention, and the sum after it
//   mlp             the norm before a dense feed-forward, the feed-forward, and the sum after it
//   moe_router      the norm before a mixture of experts, its router, and its shared experts
//   moe_preprocess  tokens brought into the order in which they leave; only with moe_router
//   moe             the whole mixture; not with moe_router
// "layer" is all of them, "step" every pass of the step by one graph (cuda_graph_impl full_iteration).
// Encoders and a model's ends are covered by "step" alone. A graph cannot hold a point at which the host
// waits for the device.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/enum_set.h"

namespace spillway {

enum class GraphPart : std::uint8_t { Attention, Mlp, Router, Preprocess, Mixture };

inline constexpr std::array<std::pair<std::string_view, GraphPart>, 5> kGraphParts{
    {{"attn", GraphPart::Attention},
     {"mlp", GraphPart::Mlp},
     {"moe_router", GraphPart::Router},
     {"moe_preprocess", GraphPart::Preprocess},
     {"moe", GraphPart::Mixture}}};

class GraphCover {
 public:
  constexpr GraphCover() = default;  // none
  static constexpr GraphCover layer() {
    return GraphCover().with(GraphPart::Attention).with(GraphPart::Mlp).with(GraphPart::Mixture);
  }
  static constexpr GraphCover step() {
    GraphCover all = layer();
    all.step_ = true;
    return all;
  }

  constexpr GraphCover with(GraphPart part) const {
    GraphCover more = *this;
    more.parts_ |= part;
    return more;
  }
  constexpr bool has(GraphPart part) const { return parts_.meets(part); }
  constexpr bool none() const { return !parts_.any(); }
  constexpr bool whole_step() const { return step_; }
  friend constexpr bool operator==(GraphCover, GraphCover) = default;

 private:
  EnumSet<GraphPart> parts_ = {};
  bool step_ = false;
};

using GraphWord = std::pair<std::string_view, GraphCover>;
inline constexpr std::array<GraphWord, 3> kGraphWords{
    {{"none", GraphCover()}, {"layer", GraphCover::layer()}, {"step", GraphCover::step()}}};

}  // namespace spillway
