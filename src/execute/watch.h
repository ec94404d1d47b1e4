// Ends a program that blocks for ever. Private to src/execute.
#pragma once

#include <functional>
#include <string>

#include "base/quantity.h"
#include "execute/board.h"
#include "program/program.h"

namespace spillway {

// The exit status of a program that blocked, as of `derive --check`.
inline constexpr int kBlockedStatus = 4;

using SayText = std::function<void(const std::string&)>;

class Watch {
 public:
  // `patience`: how long no rank may move. `say` prints a text.
  Watch(const Program& program, Board& board, Seconds patience, bool first, const SayText& say)
      : program_(program), board_(board), patience_(first ? patience : 2 * patience), say_(say) {}

  // A waiting rank calls it at each look. If no rank has moved for too long, prints every rank with its
  // action and what that waits for, and ends the job. The first rank does that, or another one if it does
  // not.
  void look();

 private:
  [[noreturn]] void end() const;

  const Program& program_;
  Board& board_;
  Seconds patience_;
  const SayText& say_;
  Seconds next_look_;
};

}  // namespace spillway
