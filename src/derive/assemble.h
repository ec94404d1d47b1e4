// Placement and collectives -> the order graph. Private to src/derive.
#pragma once

#include <limits>
#include <variant>
#include <vector>

#include "derive/derive.h"

namespace spillway {

struct Plan {
  const Model& model;
  const Schedule& schedule;
  const std::vector<BackwardFootprint>& footprints;
  const std::vector<Stage>& stages;
  const std::vector<RegionPlacement>& placement;
  const Collectives& collectives;
  const DeriveOptions& options;

  std::size_t regions() const { return placement.size(); }
  std::uint32_t ranks() const { return options.pipeline.ranks; }
  std::uint32_t microbatches() const { return options.pipeline.microbatches; }
  bool replicated(std::size_t region) const { return placement[region].layout == Layout::Replicated; }
  // The rank on which microbatch m enters and leaves a region.
  std::uint32_t entry_rank(std::size_t region, std::uint32_t m) const;
  std::uint32_t exit_rank(std::size_t region, std::uint32_t m) const;
};

inline constexpr std::uint32_t kNoEvent = std::numeric_limits<std::uint32_t>::max();

// Where the computing events are in the builder. A Sharded region has one per rank and microbatch, a
// Replicated one per microbatch; backwards exist where Lemma 1 says so.
class ComputeEvents {
 public:
  ComputeEvents(const Plan& plan, OrderBuilder& builder);

  std::uint32_t forward(std::size_t region, std::uint32_t rank, std::uint32_t m) const {
    return at(rows_[region].forward, region, rank, m);
  }
  // kNoEvent where the region runs no backward.
  std::uint32_t backward(std::size_t region, std::uint32_t rank, std::uint32_t m) const {
    return at(rows_[region].backward, region, rank, m);
  }

 private:
  struct Row {
    std::uint32_t forward;
    std::uint32_t backward;
    bool replicated;
  };
  std::uint32_t at(std::uint32_t base, std::size_t region, std::uint32_t rank, std::uint32_t m) const {
    if (base == kNoEvent) return kNoEvent;
    return base + (rows_[region].replicated ? m : m * ranks_ + rank);
  }

  std::uint32_t ranks_;
  std::vector<Row> rows_;
};

// Do the ranks' sequences follow from the skeletons alone? Otherwise from the levels of the dependencies.
bool formula_suffices(const Plan& plan);

// Each rank's computing events in execution order: the encodes it owns when the input region is transposed,
// the pipelined body, the transposed input region's backwards. `dependencies` holds every event and every
// edge that is not a Sequence.
std::vector<std::vector<std::uint32_t>> rank_sequences(const Plan& plan, const ComputeEvents& events,
                                                       const OrderBuilder& dependencies);

std::variant<Order, Cycle> assemble_order(const Plan& plan);

}  // namespace spillway
