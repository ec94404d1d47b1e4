// A multimodal model as the algebra sees it: blocks of equal layers, input first. The cut works on layers,
// counted from 0 through all blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

enum class Role { Encoder, Backbone, Generator };

// Every role by its word.
inline constexpr std::array<std::pair<std::string_view, Role>, 3> kRoles = {
    {{"encoder", Role::Encoder}, {"backbone", Role::Backbone}, {"generator", Role::Generator}}};
inline constexpr std::string_view to_string(Role role) {
  return kRoles[static_cast<std::size_t>(role)].first;
}

// The default role of a block by its name: enc... is an encoder, gen... a generator, anything else the
// backbone.
Role role_from_name(const std::string& block_name);

struct Block {
  std::string name;
  Role role;
  std::uint32_t layers;
  bool trainable;
  // A tower that the next block does not read: both feed the block behind the last of such towers.
  bool beside_next = false;

  friend bool operator==(const Block&, const Block&) = default;
};

// Layers [first, end).
struct LayerRange {
  std::uint32_t first;
  std::uint32_t end;

  std::uint32_t size() const { return end - first; }
  friend bool operator==(LayerRange, LayerRange) = default;
};

class Model {
 public:
  // Contract: at least one block, every block with at least one layer.
  explicit Model(std::vector<Block> blocks);

  const std::vector<Block>& blocks() const { return blocks_; }
  LayerRange layers_of(std::size_t block) const { return ranges_[block]; }
  std::uint32_t layer_count() const { return ranges_.back().end; }

  // Returns true if any layer of `layers` is trainable; false for an empty range.
  bool trainable(LayerRange layers) const;

  // The part of `block` inside `layers`, empty (first == end) when they do not meet.
  LayerRange part_of(std::size_t block, LayerRange layers) const;

  friend bool operator==(const Model&, const Model&) = default;

 private:
  std::vector<Block> blocks_;
  std::vector<LayerRange> ranges_;
};

// The block that reads the output of `block`: the next one, or the one behind the towers beside it.
std::size_t fed_block(const Model& model, std::size_t block);

// Returns true if a gradient passes through `block`: if it is trainable, or a block whose output reaches it.
bool passes_gradient(const Model& model, std::size_t block);

// The number of layers before the first block that is not an encoder.
std::uint32_t leading_encoder_layers(const Model& model);

// The numbers of layers of the leading encoder, of the blocks between, and of the generator at the end;
// absent modules are left out.
std::vector<std::uint32_t> module_layers(const Model& model);

}  // namespace spillway
