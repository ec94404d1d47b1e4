// The parts of a block that the backward computes again, and in which layers. Operators at an end of the
// model are never recomputed, but a loss in chunks may make its logits again (cost/layers/chunked_loss.h).
//
//   what      Selective   attention: products between activations
//             Alternate   all but attention, exchanges of tokens and every second product, modelled as half
//                         of each product. Grouped products of experts are all made again. As in
//                         torchtitan's selective checkpointing of operators (pytorch/torchtitan @cc286a63,
//                         torchtitan/distributed/activation_checkpoint.py, models/common/moe.py): it keeps
//                         aten.mm every second time and all-to-alls, and _grouped_mm is not in its list. See
//                         tests/cost/slab_memory_test.cpp.
//             Full        the whole forward, from the layer's input; only up to the last tensor that the
//                         backward reads if the framework stops there (framework.h)
//   modules   these parts of a layer (modules.h), in addition to `what`
//   first     the first so many layers of the block in each stage (Megatron-LM, recompute_method block)
//   every     every so many-th layer in each stage (torchtitan, selective checkpointing by layers)
//   together  so many layers from one input (Megatron-LM, recompute_method uniform); for Full
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

inline constexpr double kAlternate = 0.5;  // share of a product that Alternate repeats

struct Recomputation {
  constexpr Recomputation(Recompute all = Recompute::None) : what(all) {}

  Recompute what;
  Modules modules = {};
  std::optional<std::uint32_t> first = {};
  std::uint32_t every = 1;
  std::uint32_t together = 1;

  bool any() const { return what != Recompute::None || modules.any(); }
  // `layer` counts the stage's layers of the block from 0.
  Recompute of(std::size_t layer) const { return chosen(layer) ? what : Recompute::None; }
  Modules modules_of(std::size_t layer) const { return chosen(layer) ? modules : Modules(); }
  bool alike(std::size_t layer, std::size_t other) const { return chosen(layer) == chosen(other); }

  friend bool operator==(const Recomputation&, const Recomputation&) = default;

 private:
  bool chosen(std::size_t layer) const { return (!first || layer < *first) && (layer + 1) % every == 0; }
};

// The share of an operator's forwards in that layer that the backward repeats.
double repeated(const Operator& op, const Recomputation& recomputation, std::size_t layer);

// The share of the memory that an operator keeps which modules make again for its backward.
double made_again(const Operator& op, Modules modules, bool weight_gradient);

// The number of times that the backward repeats a layer's collectives.
struct RepeatedCollectives {
  double all_gathers = 0;
  double reduce_scatters = 0;
  double all_to_alls = 0;
};
RepeatedCollectives repeated_collectives(const Layer& layer, const Recomputation& recomputation,
                                         std::size_t index);

}  // namespace spillway
