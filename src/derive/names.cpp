#include <algorithm>
#include <string_view>

#include "derive/derive.h"

namespace spillway {
namespace {

std::string microbatch_name(MicrobatchId microbatch) {
  return std::to_string(microbatch.index() + 1);
}

// The first word of a computing event's name.
std::string_view word_of(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return "Fwd";
    case EventKind::Backward:
      return "Bwd";
    case EventKind::BackwardInput:
      return "BwdInput";
    case EventKind::BackwardWeight:
      return "BwdWeight";
    case EventKind::ForwardBackward:
      return "FwdBwd";
    default:
      throw ContractBreach("not a computing event");
  }
}

std::string stage_name(const Stage& stage, const std::vector<Region>& regions) {
  const std::string& region = regions[stage.region.index()].name;
  return stage.chunks == 1 ? region : region + ':' + std::to_string(stage.index);
}

// Names the stage if the region reduces stage by stage.
std::string reduced_name(const Stage& stage, const std::vector<Region>& regions,
                         const std::vector<Stage>& stages) {
  const std::string& region = regions[stage.region.index()].name;
  const bool several = std::ranges::any_of(
      stages, [&](const Stage& other) { return other.region == stage.region && other.index != stage.index; });
  return several ? region + ':' + std::to_string(stage.index) : region;
}

std::string computing_name(const Event& event, const std::vector<Region>& regions,
                           const std::vector<Stage>& stages) {
  std::string name = std::string(word_of(event.kind)) + '(' +
                     stage_name(stages[event.stage.index()], regions) + ',' +
                     std::to_string(event.rank.index()) + ',' + microbatch_name(event.microbatch);
  if (event.kind == EventKind::ForwardBackward) {
    name += ',' + stage_name(stages[event.peer_stage.index()], regions) + ',' +
            microbatch_name(event.peer_microbatch);
  }
  return name + ')';
}

std::string collective_name(const Event& event, const std::vector<Region>& regions,
                            const std::vector<Stage>& stages) {
  const Stage& from = stages[event.stage.index()];
  const Stage& to = stages[event.peer_stage.index()];
  const std::string& region = regions[from.region.index()].name;
  std::string seam;
  if (from.region == to.region) {
    seam = region + ':' + std::to_string(from.index) + '-' + std::to_string(to.index);
  } else {
    const std::string& peer = regions[to.region.index()].name;
    seam = from.region < to.region ? region + '-' + peer : peer + '-' + region;
  }
  return "Coll(" + std::string(to_string(event.comm)) + ',' + seam + ',' + microbatch_name(event.microbatch) +
         ')';
}

}  // namespace

std::string_view to_string(PointToPoint mode) {
  return mode == PointToPoint::Blocking ? "blocking" : "overlapped";
}

std::string event_name(const Event& event, const std::vector<Region>& regions,
                       const std::vector<Stage>& stages) {
  const auto reduced = [&] { return reduced_name(stages[event.stage.index()], regions, stages); };
  if (event.computes()) return computing_name(event, regions, stages);
  switch (event.kind) {
    case EventKind::Collective:
      return collective_name(event, regions, stages);
    case EventKind::DpReduce:
      return "DpReduce(" + reduced() + ',' + std::string(to_string(event.group)) + ')';
    case EventKind::Broadcast:
      return "Broadcast(" + reduced() + ')';
    case EventKind::Loss:
      return "Loss(" + microbatch_name(event.microbatch) + ')';
    case EventKind::StepBarrier:
      return "StepBarrier";
    default:
      throw ContractBreach("unknown event kind");
  }
}

}  // namespace spillway
