// The steps of a trace with copies of stages: passes by rank, and the path of each microbatch. Private to
// src/validate.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/id.h"
#include "order/event.h"
#include "traces/events/trace.h"
#include "traces/events/union_of_intervals.h"

namespace spillway {

// Senders that compute during less of their sends wait for them.
inline constexpr double kLeastOverlap = 0.1;

struct CopiedStep {
  using Stages = std::vector<std::pair<StageId, MicrobatchId>>;  // of one microbatch
  struct Path {
    Stages forward, backward;  // in the order in which the microbatch passes them
  };
  using BroadcastKey = std::pair<RankId, StageId>;
  // Kind, stage, microbatch; of a message its sender's stage, and the receiver's as the peer.
  using Key = std::tuple<EventKind, StageId, MicrobatchId, Comm, StageId>;

  std::uint32_t step;
  ReplicaId replica;
  std::vector<std::vector<Event>> passes;  // by rank, by start; a forward and a backward run together are one
  std::map<MicrobatchId, Path> paths;
  std::map<BroadcastKey, Interval> broadcasts;
  std::vector<std::vector<Interval>> sends;        // by rank
  std::vector<std::vector<Interval>> collectives;  // by rank, joined
  std::map<Key, Interval> intervals;               // of a message, the shorter of its two ends
  std::map<Key, Seconds> sent;                     // the time at which its sender began a message

  // A message without both ends in the trace takes no time, after its sender's pass.
  Interval interval(const Event& event) const;
  // The time at which the event's own rank began it: a message may wait at its receiver for long.
  Seconds begun(const Event& event) const;
};

struct CopiedSteps {
  std::uint32_t ranks, stages, microbatches, replicas;
  std::vector<RankId> stage_rank;  // rank 0 for a copy without passes
  std::vector<CopiedStep> steps;   // those with the first one's passes and order
  std::vector<Note> notes;
};

CopiedSteps copied_steps(const Trace& trace);

}  // namespace spillway
