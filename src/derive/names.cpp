#include "derive/derive.h"

namespace spillway {
namespace {

std::string microbatch_name(const Event& event) {
  return std::to_string(event.microbatch.index() + 1);
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
  return "Coll(" + std::string(to_string(event.comm)) + ',' + seam + ',' + microbatch_name(event) + ')';
}

}  // namespace

std::string event_name(const Event& event, const std::vector<Region>& regions,
                       const std::vector<Stage>& stages) {
  const auto region = [&] { return regions[stages[event.stage.index()].region.index()].name; };
  switch (event.kind) {
    case EventKind::Forward:
    case EventKind::Backward:
      return (event.kind == EventKind::Forward ? "Fwd(" : "Bwd(") + region() + ',' +
             std::to_string(event.rank.index()) + ',' + microbatch_name(event) + ')';
    case EventKind::Collective:
      return collective_name(event, regions, stages);
    case EventKind::DpReduce:
      return "DpReduce(" + region() + ',' + std::string(to_string(event.group)) + ')';
    case EventKind::Loss:
      return "Loss(" + microbatch_name(event) + ')';
    case EventKind::StepBarrier:
      return "StepBarrier";
  }
  throw ContractBreach("unknown event kind");
}

}  // namespace spillway
