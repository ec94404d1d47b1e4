// What the backward of a block computes again, of which layers; of what lies at an end of the model, nothing.
//
//   what      Selective   attention: products between activations
//             Alternate   all but attention and every second product (torchtitan's selective checkpointing of
//                         operators), here a half of each
//             Full        the whole forward, from the layer's input; up to the last thing that the backward
//                         reads where the framework stops there (framework.h)
//   modules   those parts of a layer (modules.h), beside what `what` says
//   first     of each stage, its first layers of the block (Megatron-LM, recompute_method block)
//   every     of each stage, every so many-th (torchtitan, selective checkpointing by layers)
//   together  so many layers from one input (Megatron-LM, recompute_method uniform); of Full
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "cost/layers/layer.h"

namespace spillway {

enum class Recompute : std::uint8_t { None, Selective, Alternate, Full };
inline constexpr std::array<std::pair<std::string_view, Recompute>, 4> kRecomputes{
    {{"none", Recompute::None},
     {"selective", Recompute::Selective},
     {"alternate", Recompute::Alternate},
     {"full", Recompute::Full}}};

inline constexpr double kAlternate = 0.5;  // of the products that Alternate repeats

struct Recomputation {
  constexpr Recomputation(Recompute all = Recompute::None) : what(all) {}

  Recompute what;
  Modules modules = {};
  std::optional<std::uint32_t> first = {};
  std::uint32_t every = 1;
  std::uint32_t together = 1;

  bool any() const { return what != Recompute::None || modules.any(); }
  // Of a stage's layer of the block, counted from 0.
  Recompute of(std::size_t layer) const { return chosen(layer) ? what : Recompute::None; }
  Modules modules_of(std::size_t layer) const { return chosen(layer) ? modules : Modules(); }

  friend bool operator==(const Recomputation&, const Recomputation&) = default;

 private:
  bool chosen(std::size_t layer) const { return (!first || layer < *first) && (layer + 1) % every == 0; }
};

// The share of an operator's forwards in that layer that the backward repeats.
double repeated(const Operator& op, const Recomputation& recomputation, std::size_t layer);

// Of what an operator keeps of a forward, the part that modules make again for its backward.
double made_again(const Operator& op, Modules modules, bool weight_gradient);

// How often the backward repeats a layer's collectives.
struct RepeatedCollectives {
  double all_gathers = 0;
  double reduce_scatters = 0;
  double all_to_alls = 0;
};
RepeatedCollectives repeated_collectives(const Layer& layer, const Recomputation& recomputation,
                                         std::size_t index);

}  // namespace spillway
