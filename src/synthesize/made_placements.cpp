#include "synthesize/made_placements.h"

#include <utility>

#include "base/text.h"
#include "experiment/derive_options.h"
#include "schedule/placed_orders.h"
#include "synthesize/stage_layers.h"

namespace spillway {
namespace {

// The most virtual stages of a rank that are made.
constexpr std::uint32_t kMostChunks = 6;

struct StageShape {
  std::uint32_t chunks;
  bool zigzag;
};

std::vector<RankId> ranks_of(StageShape shape, std::uint32_t ranks) {
  std::vector<RankId> all;
  for (std::uint32_t chunk = 0; chunk < shape.chunks; ++chunk)
    for (std::uint32_t place = 0; place < ranks; ++place)
      all.emplace_back(shape.zigzag && chunk % 2 == 1 ? ranks - 1 - place : place);
  return all;
}

// All forwards stage by stage, then all backwards, the last stage first. No pass waits for itself.
RankOrder plain_order(std::uint32_t chunks, std::uint32_t microbatches, bool split_backwards) {
  RankOrder order;
  const auto add = [&](Action action, std::uint32_t chunk) {
    for (std::uint32_t m = 0; m < microbatches; ++m) order.push_back({action, chunk, MicrobatchId(m)});
  };
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) add(Action::Forward, chunk);
  for (std::uint32_t chunk = chunks; chunk-- > 0;)
    add(split_backwards ? Action::BackwardInput : Action::Backward, chunk);
  for (std::uint32_t chunk = chunks; split_backwards && chunk-- > 0;) add(Action::BackwardWeight, chunk);
  return order;
}

ScheduleSpec shaped(const Experiment& experiment, ScheduleSpec spec, std::span<const Seconds> layers,
                    StageShape shape, bool split_backwards) {
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  PlacedOrders placed{ranks_of(shape, ranks), {}};
  placed.orders.assign(ranks, plain_order(shape.chunks, microbatches, split_backwards));
  spec.layers_per_rank = split_by_rank(layers, placed.stage_rank);
  spec.schedule.skeletons.back() = listed_skeleton(std::move(placed));
  if (spec.encodes) spec.encodes->placed.assign(ranks, {});
  return spec;
}

// "3 stages a rank in a loop, split backwards, behind a transposed encoder"
std::string words_of(StageShape shape, bool split_backwards, bool transposed) {
  return counted(shape.chunks, "stage") + " a rank" +
         (shape.chunks == 1 ? ""
          : shape.zigzag    ? " in a zigzag"
                            : " in a loop") +
         (split_backwards ? ", split backwards" : "") + (transposed ? ", behind a transposed encoder" : "");
}

}  // namespace

std::vector<MadePlacement> made_placements(const Experiment& experiment, const ScheduleSpec& listed,
                                           std::span<const Seconds> times, bool split_backwards) {
  const std::vector<std::uint32_t>& cut = listed.cut.boundaries;
  const std::span<const Seconds> layers = times.subspan(cut.empty() ? 0 : cut.back());
  std::vector<MadePlacement> all;
  for (std::uint32_t chunks = 1; chunks <= kMostChunks; ++chunks)
    for (const bool zigzag : {false, true}) {
      if (chunks * experiment.pipeline.ranks > layers.size() || (zigzag && chunks == 1)) continue;
      ScheduleSpec spec = shaped(experiment, listed, layers, {chunks, zigzag}, split_backwards);
      if (check_derive(experiment, spec).empty())
        all.push_back({std::move(spec), words_of({chunks, zigzag}, split_backwards, !cut.empty())});
    }
  return all;
}

}  // namespace spillway
