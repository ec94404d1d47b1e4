#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>
#include <string>

#include "base/printable.h"
#include "order/rank_lists.h"
#include "report/order/derivation.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string owner_text(const Outline& derived, const ByLayer& by_layer) {
  std::string text;
  for (StageId id : by_layer.stages) {
    const Stage& stage = derived.stage(id);
    text += fmt::format("{}rank {}: layers {}-{}", text.empty() ? "" : ", ", stage.rank.index(),
                        stage.layers.first, stage.layers.end - 1);
  }
  return text;
}

std::string owner_text(const Outline&, const ByMicrobatch& by_microbatch) {
  std::string text = "microbatch -> rank:";
  for (std::size_t m = 0; m < by_microbatch.owner.size(); ++m)
    text += fmt::format("{} {}->{}", m == 0 ? "" : ",", m + 1, by_microbatch.owner[m].index());
  return text;
}

void write_placement(std::ostream& out, const Outline& derived) {
  out << "placement (layers and ranks count from 0, microbatches from 1)\n";
  for (std::size_t i = 0; i < derived.placement.size(); ++i) {
    const Region& region = derived.regions[i];
    const RegionPlacement& placement = derived.placement[i];
    const std::string name = printable(region.name);
    const std::string heading =
        fmt::format("  {}{} {:<10} {:<9} ", name, padding(name, 8), to_string(placement.layout),
                    region.trainable ? "trainable" : "frozen");
    const std::string owner =
        std::visit([&](const auto& o) { return owner_text(derived, o); }, placement.owner);
    out << wrapped(heading,
                   fmt::format("layers {}-{};  {}", region.layers.first, region.layers.end - 1, owner),
                   kTableColumns);
  }
}

void write_collectives(std::ostream& out, const Outline& derived) {
  const auto name = [&](RegionId region) { return printable(derived.regions[region.index()].name); };
  out << "collectives\n";
  for (const Seam& seam : derived.collectives.seams)
    fmt::print(out, "  seam {}-{}: forward {}, backward {}\n", name(seam.upstream), name(seam.downstream),
               to_string(seam.forward), seam.backward ? to_string(*seam.backward) : "none");
  for (const Reduce& reduce : derived.collectives.reduces)
    fmt::print(out, "  reduce {} over its {}\n", name(reduce.region), to_string(reduce.group));
}

void write_order(std::ostream& out, const Derived& derived) {
  const Order& order = derived.order;
  fmt::print(out, "order: {}, {}; by rank, as executed\n", counted(order.event_count(), "event"),
             counted(order.edge_count(), "edge"));
  std::uint32_t rank = 0;
  for (const auto& list : rank_lists(order)) {
    std::string events;
    for (EventId id : list) events += event_name(order.event(id), derived) + ' ';
    out << wrapped(fmt::format("  rank {:<4} ", rank++), events, kTableColumns);
  }
}

}  // namespace

void write_derivation_text(std::ostream& out, const Derived& derived) {
  const Pipeline& pipeline = derived.pipeline;
  fmt::print(out, "schedule {} over {}, {}, {}; transfers {}\n", to_string(derived.schedule),
             counted(pipeline.ranks, "rank"), counted(pipeline.microbatches, "microbatch"),
             counted(pipeline.replicas, "replica"), to_string(derived.point_to_point));
  for (const Reduction& reduction : derived.reductions)
    fmt::print(out,
               "reduced: adjacent transposes share one owner map, so region {} is merged into the one before "
               "it, without the boundary at layer {}\n",
               reduction.region, reduction.boundary);
  write_placement(out, derived);
  write_collectives(out, derived);
  write_order(out, derived);
}

}  // namespace spillway
