// Lets one thread at a time use SimGrid, which exists once per process.
#pragma once

namespace spillway {

// Holds SimGrid for a thread as long as the object lives; other threads wait. Objects of one thread may be
// nested.
//
// A process that is forked while its thread holds SimGrid can use it, since no other thread was using it. The
// new process has its own copies of these objects, which end like any others.
class SimGridTurn {
 public:
  SimGridTurn();
  ~SimGridTurn();
  SimGridTurn(const SimGridTurn&) = delete;
  SimGridTurn& operator=(const SimGridTurn&) = delete;
};

// The turn of a replay. Contract: one at a time, since SimGrid has one engine.
class ReplayTurn {
 public:
  ReplayTurn();
  ~ReplayTurn();

 private:
  SimGridTurn turn_;
};

}  // namespace spillway
