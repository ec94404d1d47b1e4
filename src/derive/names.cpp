#include "derive/derive.h"

namespace spillway {
namespace {

std::string microbatch_name(const Event& event) { return std::to_string(event.microbatch.index() + 1); }

std::string collective_name(const Event& event, const Derived& derived) {
  const Stage& from = derived.stage(event.stage);
  const Stage& to = derived.stage(event.peer_stage);
  const std::string& region = derived.region_of(event.stage).name;
  std::string seam;
  if (from.region == to.region) {
    seam = region + ':' + std::to_string(from.index) + '-' + std::to_string(to.index);
  } else {
    const std::string& peer = derived.region_of(event.peer_stage).name;
    seam = from.region < to.region ? region + '-' + peer : peer + '-' + region;
  }
  return "Coll(" + std::string(to_string(event.comm)) + ',' + seam + ',' + microbatch_name(event) + ')';
}

}  // namespace

std::string event_name(const Event& event, const Derived& derived) {
  switch (event.kind) {
    case EventKind::Forward:
    case EventKind::Backward:
      return (event.kind == EventKind::Forward ? "Fwd(" : "Bwd(") + derived.region_of(event.stage).name + ',' +
             std::to_string(event.rank.index()) + ',' + microbatch_name(event) + ')';
    case EventKind::Collective:
      return collective_name(event, derived);
    case EventKind::DpReduce:
      return "DpReduce(" + derived.region_of(event.stage).name + ',' + std::string(to_string(event.group)) + ')';
    case EventKind::Loss:
      return "Loss(" + microbatch_name(event) + ')';
    case EventKind::StepBarrier:
      return "StepBarrier";
  }
  throw ContractBreach("unknown event kind");
}

}  // namespace spillway
