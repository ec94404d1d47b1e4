// The part of a rank other than 0 in one round of points.
#pragma once

#include <chrono>
#include <optional>

#include "sweep/run/interrupts.h"
#include "sweep/run/letters.h"
#include "sweep/run/mailbox.h"
#include "sweep/run/patience.h"
#include "sweep/run/thread_team.h"
#include "sweep/run/vigil.h"

namespace spillway {

class FollowRound {
 public:
  // Throws LeaderLost where rank 0 is silent for longer than `patience` allows.
  FollowRound(Mailbox& mail, std::size_t round, unsigned jobs, const Compute& compute,
              const Patience& patience);

  // As RankedJob::follow.
  bool run();
  // Did rank 0 say meanwhile that a rank is lost, and that it ends the job? It says so to a slow one that it
  // takes to be lost, too.
  bool is_end_without_mpi() const { return is_end_without_mpi_; }

 private:
  using Clock = std::chrono::steady_clock;

  void step();
  void read(const Letter& letter);
  void keep_vigil();
  void tell_of_fault();
  bool is_report_due() const;
  void report();

  Mailbox& mail_;
  const std::size_t round_;
  const CaughtSignals signals_ = {};
  const Patience patience_;
  Vigil vigil_ = {};
  bool is_led_ = false;  // rank 0 is in a round, too
  ThreadTeam team_;
  Report report_ = {};  // the next one
  Clock::time_point reported_ = {};
  bool has_asked_ = false;  // for points, and has none yet
  bool has_told_ = false;   // of a fault
  bool is_end_without_mpi_ = false;
  std::optional<EndOfRound> end_ = {};
};

}  // namespace spillway
