// Assembles an order from its parts. Private to src/derive.
#pragma once

#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "derive/derive.h"
#include "derive/paths.h"
#include "derive/stages.h"

namespace spillway {

inline constexpr std::uint32_t kNoEvent = std::numeric_limits<std::uint32_t>::max();

// Sharded regions under one skeleton, in region order, and each rank's order of them. `orders` is empty if a
// list schedule orders them. Several regions interleave: chunk c of a rank is its stage of the c-th region.
struct Body {
  Skeleton skeleton;
  std::vector<std::size_t> regions;
  std::vector<RankOrder> orders;
};

struct OrderParts {
  const Model& model;
  const Schedule& schedule;
  const std::vector<BackwardFootprint>& footprints;
  const std::vector<Stage>& stages;
  const std::vector<RegionPlacement>& placement;
  const Collectives& collectives;
  const DeriveOptions& options;
  const Paths& paths;
  const std::vector<Body>& bodies;

  std::size_t regions() const { return placement.size(); }
  std::size_t inputs() const { return input_count(schedule); }
  bool is_input(StageId id) const { return stage(id).region.index() < inputs(); }
  std::uint32_t ranks() const { return options.pipeline.ranks; }
  std::uint32_t microbatches() const { return options.pipeline.microbatches; }
  bool replicated(std::size_t region) const { return placement[region].layout == Layout::Replicated; }
  const Stage& stage(StageId id) const { return stages[id.index()]; }
  // The transposed stage that runs in place and takes microbatch m from `stage`, if there is one.
  std::optional<StageId> in_place_behind(StageId stage_id, std::uint32_t m) const {
    const std::size_t region = stage(stage_id).region.index(), next = region + 1;
    const bool behind = options.inner == InnerOrder::InPlace && next < regions() && replicated(next) &&
                        paths.of(region, m).back() == stage_id;
    return behind ? std::optional(paths.of(next, m).front()) : std::nullopt;
  }
  StageId stage_of_slot(const Body& body, std::uint32_t rank, std::uint32_t chunk) const {
    return weaves(body.skeleton) ? paths.on_rank(body.regions[chunk], rank, 0)
                                 : paths.on_rank(body.regions[0], rank, chunk);
  }
};

// Returns the order. Wrong sequences give a cycle of events instead.
std::variant<Order, Cycle> assemble_order(const OrderParts& parts);

}  // namespace spillway
