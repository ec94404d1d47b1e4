// An order as a program for each rank: the rank's operations, and those that each of them waits for. A
// transfer is a send on one rank and a receive on another. The files for other simulators are written from it
// (goal.h, chakra.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

//   Run      a computing event, or one that only keeps books
//   Send     a transfer from this rank
//   Hold     the time for which a blocking transfer occupies its sender; later operations there wait for it
//   Receive  a transfer to this rank
//   Reduce   this rank's part in a DpReduce or a Broadcast, which also waits for the other members
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

// Takes time and memory linear in the events and edges. StepBarrier events are left out, because they take no
// time.
class RankPrograms {
 public:
  // Contract: `derived` outlives this object.
  explicit RankPrograms(const Derived& derived);

  // Calls `step` for each operation of the rank, in a topological order.
  void visit(RankId rank, const std::function<void(const RankStep&)>& step) const;

  // Returns the ranks of a replica that take part in a DpReduce or a Broadcast. The order is the same on
  // every rank.
  std::vector<RankId> reducing_ranks(const Event& event) const;

 private:
  void visit_event(RankId rank, EventId event, const std::function<void(const RankStep&)>& step,
                   std::vector<OperationRef>& needs) const;

  const Derived& derived_;
  std::vector<std::vector<EventId>> arriving_;  // by rank: transfers to it
};

}  // namespace spillway
