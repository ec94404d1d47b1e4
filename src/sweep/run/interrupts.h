// Ctrl-C and SIGTERM during a computation. The program keeps the finished points, then ends the computation.
#pragma once

#include <csignal>

namespace spillway {

// Catches one SIGINT and one SIGTERM while it lives. The second signal of a kind has its default effect and
// ends the process. A signal that was ignored stays ignored. Objects may be nested on one thread; a signal
// counts for all of them.
class CaughtSignals {
 public:
  CaughtSignals();
  ~CaughtSignals();
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

  bool arrived() const;

 private:
  struct sigaction interrupt_, terminate_;  // the actions before this object
};

// Returns true if this process is to end its computation early: a signal came, or a worker asked for it,
// after the current CaughtSignals was made.
bool stop_requested();
void request_stop();

}  // namespace spillway
