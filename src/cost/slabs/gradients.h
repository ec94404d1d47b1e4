// What a slab's passes compute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

class Model;

// One pass of a stage over a microbatch. Backward is both gradients in one piece.
enum class Pass { Forward, Backward, InputGradient, WeightGradient };

struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
};

// Weights: where the block is trained; inputs: where it or one before it is.
Gradients gradients_of(const Model& model, std::size_t block);

// What a pass computes of what is wanted, a backward as its halves.
std::vector<Pass> gradients_in(Pass pass, Gradients gradients);

// Selective: products between activations are computed again. Alternate: all but attention and every second
// product (torchtitan's selective checkpointing of operators), here a half of each. Full: the whole forward.
enum class Recompute : std::uint8_t { None, Selective, Alternate, Full };
inline constexpr std::array<std::pair<std::string_view, Recompute>, 4> kRecomputes{
    {{"none", Recompute::None},
     {"selective", Recompute::Selective},
     {"alternate", Recompute::Alternate},
     {"full", Recompute::Full}}};

inline constexpr double kAlternate = 0.5;  // of the products that Alternate repeats

}  // namespace spillway
