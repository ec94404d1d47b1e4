#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>
#include <string>

#include "report/derivation.h"

namespace spillway {
namespace {

constexpr std::size_t kColumns = 100;

// Words after a heading, broken into lines of kColumns that continue under the first word.
class Wrapped {
 public:
  Wrapped(std::ostream& out, const std::string& heading)
      : out_(out), indent_(heading.size()), column_(indent_) {
    out_ << heading;
  }
  void word(const std::string& text) {
    if (column_ + text.size() > kColumns && column_ > indent_) {
      out_ << '\n' << std::string(indent_, ' ');
      column_ = indent_;
    }
    out_ << text << ' ';
    column_ += text.size() + 1;
  }
  void end() { out_ << '\n'; }

 private:
  std::ostream& out_;
  std::size_t indent_;
  std::size_t column_;
};

void write_owner(Wrapped& line, const Derived& derived, const ByLayer& by_layer) {
  for (StageId id : by_layer.stages) {
    const Stage& stage = derived.stage(id);
    line.word(
        fmt::format("rank {}: layers {}-{},", stage.rank.index(), stage.layers.first, stage.layers.end - 1));
  }
}

void write_owner(Wrapped& line, const Derived&, const ByMicrobatch& by_microbatch) {
  line.word("microbatch -> rank:");
  for (std::size_t m = 0; m < by_microbatch.owner.size(); ++m)
    line.word(fmt::format("{} -> {},", m + 1, by_microbatch.owner[m].index()));
}

void write_placement(std::ostream& out, const Derived& derived) {
  out << "placement (layers from 0, ranks from 0, microbatches from 1)\n";
  for (std::size_t i = 0; i < derived.placement.size(); ++i) {
    const Region& region = derived.regions[i];
    Wrapped line(
        out, fmt::format("  {:<12} {:<10} {:<9} layers {}-{}  ", region.name,
                         to_string(derived.placement[i].layout), region.trainable ? "trainable" : "frozen",
                         region.layers.first, region.layers.end - 1));
    std::visit([&](const auto& owner) { write_owner(line, derived, owner); }, derived.placement[i].owner);
    line.end();
  }
}

void write_collectives(std::ostream& out, const Derived& derived) {
  const auto name = [&](RegionId region) { return derived.regions[region.index()].name; };
  out << "collectives\n";
  for (const Seam& seam : derived.collectives.seams)
    fmt::print(out, "  seam {}-{}: forward {}, backward {}\n", name(seam.upstream), name(seam.downstream),
               to_string(seam.forward), seam.backward ? to_string(*seam.backward) : "none");
  for (const Reduce& reduce : derived.collectives.reduces)
    fmt::print(out, "  reduce {} over its {}\n", name(reduce.region), to_string(reduce.group));
}

void write_order(std::ostream& out, const Derived& derived) {
  const Order& order = derived.order;
  fmt::print(out, "order: {} events, {} edges; by rank, as executed\n", order.event_count(),
             order.edge_count());
  for (std::uint32_t rank = 0; rank < order.rank_count(); ++rank) {
    Wrapped line(out, fmt::format("  rank {:<4} ", rank));
    for (EventId id : order.nodes(RankId(rank))) line.word(event_name(order.event(id), derived));
    line.end();
  }
}

}  // namespace

void write_derivation_text(std::ostream& out, const Derived& derived) {
  const Pipeline& pipeline = derived.pipeline;
  fmt::print(out, "schedule {}: {} ranks, {} microbatches, {} replicas, transfers {}\n",
             to_string(derived.schedule), pipeline.ranks, pipeline.microbatches, pipeline.replicas,
             derived.point_to_point == PointToPoint::Blocking ? "blocking" : "overlapped");
  for (const Reduction& reduction : derived.reductions)
    fmt::print(out,
               "reduced: adjacent transposes share one owner map, so region {} merged into the one before it "
               "and the "
               "boundary at layer {} fell away\n",
               reduction.region, reduction.boundary);
  write_placement(out, derived);
  write_collectives(out, derived);
  write_order(out, derived);
}

}  // namespace spillway
