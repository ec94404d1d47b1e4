// An order as a program for each rank: what it does, and what each of its operations waits for, with a send
// and a receive for each transfer. What other simulators read is written from it (goal.h, chakra.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

//   Run      what the rank does on its own: a computing event, or one that only keeps books
//   Send     a transfer of its own
//   Hold     where transfers occupy their sender: what follows the send there waits for this
//   Receive  a transfer to it
//   Reduce   its part in a DpReduce or a Broadcast, which waits for the other members, too
enum class RankOperation : std::uint8_t { Run, Send, Hold, Receive, Reduce };

struct OperationRef {
  EventId event;
  RankOperation kind;
};

struct RankStep {
  EventId event;
  RankOperation kind;
  std::span<const OperationRef> needs;  // on the same rank, each visited before
};

// Linear in events and edges, and in what it keeps. Steps that end the step (StepBarrier) are left out: they
// take no time.
class RankPrograms {
 public:
  // Views `derived`, which outlives it.
  explicit RankPrograms(const Derived& derived);

  // In a topological order.
  void visit(RankId rank, const std::function<void(const RankStep&)>& step) const;

  // Who takes part in a DpReduce or a Broadcast, the first being the same wherever it is asked: ranks of a
  // replica, and of how many replicas.
  std::vector<RankId> reducing_ranks(const Event& event) const;

 private:
  void visit_event(RankId rank, EventId event, const std::function<void(const RankStep&)>& step,
                   std::vector<OperationRef>& needs) const;

  const Derived& derived_;
  std::vector<std::vector<EventId>> arriving_;  // by rank: transfers to it
};

}  // namespace spillway
