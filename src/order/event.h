// The paper's six events and five typed edges (section 3.1), as plain values; a backward may also be split in
// two, or run together with a forward.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "base/id.h"

namespace spillway {

enum class EventKind : std::uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  ForwardBackward,
  Collective,
  DpReduce,
  Broadcast,
  Loss,
  StepBarrier
};
enum class Comm : std::uint8_t { Gather, Scatter, Send, RecvGrad };
enum class Group : std::uint8_t { ReplicaGroup, DataGroup, CopyGroup };
enum class EdgeKind : std::uint8_t { Activation, Gradient, Turnaround, Accumulate, Sequence };

std::string_view to_string(Comm comm);
std::string_view to_string(Group group);
std::string_view to_string(EdgeKind kind);

// One event of one data-parallel replica.
//   Forward, Backward   stage runs microbatch on rank; Backward is both gradients in one piece
//   BackwardInput       the gradient of stage's input, which the stage before it waits for
//   BackwardWeight      the gradients of stage's weights, after BackwardInput
//   ForwardBackward     the forward of microbatch on stage together with the whole backward of
//                       peer_microbatch on peer_stage, both on rank
//   Collective          comm carries microbatch from stage (on rank, the sender) to peer_stage (on peer_rank)
//   DpReduce            group says who takes part; DataGroup: the replicas of stage, and of peer_stage on
//                       peer_rank where another rank holds the same layers (elsewhere the peer is stage and
//                       rank again); CopyGroup: the same of a module, whose stage the ranks from rank to
//                       peer_rank hold; ReplicaGroup: every rank's copy of the region of stage, and its
//                       replicas
//   Broadcast           rank, the first, sends stage's parameters to its copies, up to peer_stage on
//                       peer_rank, the last; ReplicaGroup, in one replica
//   Loss                microbatch, on the rank that ends its forward
//   StepBarrier         ends the step; every other field is meaningless
// `joined_replicas` consecutive replicas execute the event as one: it starts when the last of them is ready.
// 1: each replica on its own; all of them for DpReduce and StepBarrier; more than 1 for a stage whose
// expert-parallel group spans replicas.
struct Event {
  EventKind kind;
  Comm comm = Comm::Send;
  Group group = Group::DataGroup;
  StageId stage = {};
  StageId peer_stage = {};
  RankId rank = {};
  RankId peer_rank = {};
  MicrobatchId microbatch = {};
  MicrobatchId peer_microbatch = {};
  std::uint32_t joined_replicas = 1;

  bool computes() const { return kind <= EventKind::ForwardBackward; }
  bool runs_forward() const { return kind == EventKind::Forward || kind == EventKind::ForwardBackward; }
  bool communicates() const { return kind == EventKind::Collective || in_group(); }
  // Returns true for events of many ranks or replicas, which have no microbatch.
  bool in_group() const { return kind == EventKind::DpReduce || kind == EventKind::Broadcast; }
  // The number of ranks that hold an event of a group. Contract: not a ReplicaGroup, which every rank is in.
  std::uint32_t holders() const {
    if (rank == peer_rank) return 1;
    return group == Group::CopyGroup ? peer_rank.index() - rank.index() + 1 : 2;
  }
  RankId holder(std::uint32_t i) const {
    return group == Group::CopyGroup ? RankId(rank.index() + i) : i == 0 ? rank : peer_rank;
  }
  // Returns true for a Collective between two ranks; nothing is sent within one rank.
  bool transfers() const { return kind == EventKind::Collective && rank != peer_rank; }

  friend auto operator<=>(const Event&, const Event&) = default;
};

// The event without its microbatches: equal for events that differ only in them.
inline Event of_any_microbatch(Event event) {
  event.microbatch = event.peer_microbatch = {};
  return event;
}

}  // namespace spillway
