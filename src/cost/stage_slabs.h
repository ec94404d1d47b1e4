// A job laid out on stages and devices: the layers of each stage, block by block, as they are on one device.
// Nothing here depends on a draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/analytic_costs.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"

namespace spillway {

struct StageSlabs {
  struct Block {
    LayerRange layers;  // of the model
    SharedStack stack;
    OperatorTimes times;
    Gradients gradients;
    Recomputation recompute;
    Offload offload;
    Seconds fixed;
    FixedIn fixed_in;
    double what_if_time;
    Bytes gathered_weight;  // of a primary weight when it is updated

    bool over_patches() const { return stack->unit == LoadUnit::Patch; }
  };

  // Consecutive layers of one block. Stages with the same layers share a slab.
  struct Slab {
    std::size_t block;
    LayerRange layers;  // of the model
    SlabOperators operators;
    LayerCost cost;
    SlabMemory memory;
  };

  // The layers of one block on one stage. Parts are numbered stage by stage.
  struct Part {
    std::size_t index;
    std::size_t slab;
    Seconds fixed;  // added to the forward
  };

  // Contract: check_analytic finds nothing.
  StageSlabs(const AnalyticCosts& costs, const Outline& outline);

  Parallelism parallelism;  // plain if no two devices hold the same parameters
  DeviceGrid grid;
  std::uint32_t equal_replicas;
  double what_if_inner_collective_time;
  Bytes gradient_buffer;  // of an accumulated gradient
  ShardForms shards;
  BytesPerSecond host_link;  // zero if the platform states none
  HostIssue host;
  OperatorTimes times;  // of the platform
  std::vector<Block> blocks;
  std::vector<Slab> slabs;

  std::uint32_t stage_count() const { return static_cast<std::uint32_t>(first_part_.size() - 1); }
  std::span<const Part> parts(StageId stage) const {
    return std::span(parts_).subspan(first_part_[stage.index()],
                                     first_part_[stage.index() + 1] - first_part_[stage.index()]);
  }

  double what_if_collective_time(const Block& block) const {
    return what_if_inner_collective_time * block.what_if_time;
  }

  const Slab& slab(const Part& part) const { return slabs[part.slab]; }
  const Block& block(const Slab& slab) const { return blocks[slab.block]; }
  const Block& block(const Part& part) const { return block(slab(part)); }
  std::span<const Layer> layers(const Slab& slab) const {
    const Block& whole = block(slab);
    return std::span(whole.stack->layers).subspan(slab.layers.first - whole.layers.first, slab.layers.size());
  }

 private:
  Block make_block(const AnalyticCosts& costs, const Model& model, std::size_t index) const;
  static Seconds fixed_time(const Block& block, LayerRange layers);
  std::size_t slab_of(std::size_t block, LayerRange layers);

  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_;  // stage -> index into parts_, one more at the end
};

}  // namespace spillway
