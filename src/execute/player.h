// Plays the actions of one rank. Private to src/execute.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/board.h"
#include "execute/buffers.h"
#include "execute/clock.h"
#include "execute/execution.h"
#include "execute/operations.h"
#include "execute/watch.h"
#include "execute/wires.h"

namespace spillway {

class Player {
 public:
  // Makes and touches the buffers. `index`: of the rank's program.
  Player(const Program& program, std::size_t index, double time_scale, const Wires& wires, Board& board,
         Watch& watch);

  // Plays a step from `start`. Returns the times of its actions, from the start.
  std::vector<ActionTimes> play(Seconds start);

  // Waits until all ranks are here; returns when the last one came.
  Seconds meet() { return meet(wires_.everyone()); }

 private:
  // Each returns when the action was due and done.
  struct End {
    Seconds due, done;
  };
  End at(Seconds time) const { return {time, time}; }
  End act(const ComputeAction& action);
  End act(const PostReceive& action);
  End act(const Send& action);
  End act(const Wait& action);
  End act(const SeamAction&) { return at(now()); }
  End act(const BroadcastAction& action);
  End act(const LossAction&) { return at(now()); }
  End act(const ReduceAction& action);
  End act(const UpdateAction& action) { return spend(now(), action.time); }
  End act(const BarrierAction& action);

  Seconds meet(MPI_Comm members);
  Seconds scaled(Seconds time) const { return time_scale_ * time; }
  MessageEnd end_of(const MessageAction& action);
  std::span<std::byte> buffer(std::uint64_t bytes);
  void start(std::unique_ptr<Operation> operation);
  void exchange(const RankAction& action, Exchange::Moves moves, const std::optional<Bytes>& bytes,
                Seconds time);
  // Computes from `begin` for the scaled time; messages go on meanwhile.
  End spend(Seconds begin, Seconds time);
  void finish(Operation& operation);
  bool advance_all();
  std::vector<ActionTimes> relative(Seconds start) const;

  const Program& program_;
  const RankProgram& own_;
  double time_scale_;
  const Wires& wires_;
  Board& board_;
  Watch& watch_;
  Naps naps_;
  BufferPlan plan_;
  std::vector<std::vector<std::byte>> buffers_;
  std::size_t action_ = 0;                              // the one that is played
  std::vector<std::unique_ptr<Operation>> operations_;  // by action
  std::vector<Operation*> moving_;                      // those not complete
  std::vector<ActionTimes> times_;
};

}  // namespace spillway
