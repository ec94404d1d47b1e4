// Ends a program that blocks for ever, or a job in which a process does not run. Private to src/execute.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.h"
#include "execute/board.h"
#include "program/program.h"

namespace spillway {

// The exit status of a program that blocked, as of `derive --check`.
inline constexpr int kBlockedStatus = 4;

class Watch {
 public:
  // `patience`: how long no rank may move. `say` prints a text.
  Watch(const Program& program, Board& board, Seconds patience, bool first, const SayText& say)
      : program_(program),
        board_(board),
        asked_(patience),
        patience_(first ? patience : 2 * patience),
        say_(say) {}

  // A waiting rank calls it at each look. If no rank has moved for too long, prints every rank with its
  // action and what that waits for, and ends the job. The first rank does that, or another one if it does
  // not. If this process was stopped itself, patience begins anew.
  void look();

 private:
  [[noreturn]] void end(Seconds at) const;
  // The ranks whose processes have not run for the patience.
  std::vector<std::size_t> silent_ranks(Seconds at) const;
  std::string reason(Seconds at, const std::vector<std::size_t>& silent) const;

  const Program& program_;
  Board& board_;
  Seconds asked_, patience_;
  const SayText& say_;
  Seconds next_look_, running_since_;
};

}  // namespace spillway
