// Whose turn it is to use SimGrid, which is one to a process.
#pragma once

namespace spillway {

// Holds SimGrid for a thread as long as it lives; other threads wait. One may live inside another.
//
// A process that is forked while its thread holds it can use SimGrid: no other thread was in it. The copies
// there are the new process's own and end like any others.
class SimGridTurn {
 public:
  SimGridTurn();
  ~SimGridTurn();
  SimGridTurn(const SimGridTurn&) = delete;
  SimGridTurn& operator=(const SimGridTurn&) = delete;
};

// The turn of a replay. Contract: one at a time, for SimGrid has one engine.
class ReplayTurn {
 public:
  ReplayTurn();
  ~ReplayTurn();

 private:
  SimGridTurn turn_;
};

}  // namespace spillway
