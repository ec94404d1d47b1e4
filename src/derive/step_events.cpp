#include "derive/step_events.h"

namespace spillway {

Event computing_event(EventKind kind, const std::vector<Stage>& stages, StageId stage, std::uint32_t m) {
  Event event{kind};
  event.stage = event.peer_stage = stage;
  event.rank = event.peer_rank = stages[stage.index()].rank;
  event.microbatch = event.peer_microbatch = MicrobatchId(m);
  return event;
}

Event transfer_event(Comm comm, const std::vector<Stage>& stages, StageId from, StageId to, std::uint32_t m) {
  Event event{EventKind::Collective};
  event.comm = comm;
  event.stage = from;
  event.peer_stage = to;
  event.rank = stages[from.index()].rank;
  event.peer_rank = stages[to.index()].rank;
  event.microbatch = event.peer_microbatch = MicrobatchId(m);
  return event;
}

Event broadcast_event(const std::vector<Stage>& stages, const std::vector<StageId>& copies) {
  Event event{EventKind::Broadcast};
  event.group = Group::ReplicaGroup;
  event.stage = copies.front();
  event.peer_stage = copies.back();
  event.rank = stages[event.stage.index()].rank;
  event.peer_rank = stages[event.peer_stage.index()].rank;
  return event;
}

// A ReplicaGroup covers every rank already.
Event reduce_event(const Reduce& reduce, const std::vector<Stage>& stages, const std::vector<StageId>& copies,
                   std::uint32_t replicas) {
  Event event{EventKind::DpReduce};
  event.group = reduce.group;
  event.stage = copies.front();
  event.peer_stage = reduce.group == Group::ReplicaGroup ? copies.front() : copies.back();
  event.rank = stages[event.stage.index()].rank;
  event.peer_rank = stages[event.peer_stage.index()].rank;
  event.joined_replicas = replicas;
  return event;
}

}  // namespace spillway
