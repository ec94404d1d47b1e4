// Ctrl-C and SIGTERM while points are being computed: what is finished is kept, then the computation ends.
#pragma once

#include <csignal>

namespace spillway {

// Takes SIGINT and SIGTERM for as long as it lives, once each: the second one of a kind ends the process, as
// it would have without. A signal that was ignored stays ignored. One may live inside another, on one thread:
// what came to either came to both.
class CaughtSignals {
 public:
  CaughtSignals();
  ~CaughtSignals();
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

  bool arrived() const;

 private:
  struct sigaction interrupt_, terminate_;  // as they were
};

// Is this process's computation to end early? A signal came, or a worker asked for it, since the
// CaughtSignals that there is was made.
bool stop_requested();
void request_stop();

}  // namespace spillway
