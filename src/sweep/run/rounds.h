// One round of points over the ranks of a job. Private to src/sweep/run.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "sweep/run/follower.h"
#include "sweep/run/handout.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/letters.h"
#include "sweep/run/mailbox.h"
#include "sweep/run/ranks.h"
#include "sweep/run/thread_team.h"
#include "sweep/run/vigil.h"

namespace spillway {

// Rank 0's part.
class LeadRound {
 public:
  // `followers` is indexed by rank, and index 0 is unused. They persist from round to round.
  LeadRound(Mailbox& mail, std::vector<Follower>& followers, std::size_t round,
            const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep);

  // See RankedJob::lead.
  void run();

 private:
  void begin_round();
  bool goes_on() const;
  void end_round();
  bool all_left() const;
  void step();
  void compute_here();
  void read_letters();
  void read(const Letter& letter);
  void read_report(int from, std::string_view text);
  void take_in(std::size_t holder, std::vector<FinishedPoint> finished);
  void give_back_what_is_lost();
  void show_life();
  void hand_out();

  Mailbox& mail_;
  std::vector<Follower>& followers_;
  const std::size_t round_;
  const CaughtSignals signals_ = {};
  Handout handout_;
  Keeper keeper_;
  std::exception_ptr fault_ = {};  // the first exception, here or on another rank
  std::chrono::steady_clock::time_point shown_ = {};
  ThreadTeam team_;
};

// The part of a rank other than rank 0.
class FollowRound {
 public:
  // Throws LeaderLost if rank 0 is silent for longer than `patience` allows.
  FollowRound(Mailbox& mail, std::size_t round, unsigned jobs, const Compute& compute,
              const Patience& patience);

  // See RankedJob::follow.
  bool run();
  // Returns true if rank 0 said in this round that a rank is lost and that it ends the job. A slow rank that
  // counts as lost is told so, too.
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
  bool is_led_ = false;  // rank 0 is in this round, too
  ThreadTeam team_;
  Report report_ = {};  // the next report
  Clock::time_point reported_ = {};
  bool has_asked_ = false;  // it asked for points and has none yet
  bool has_told_ = false;   // it told rank 0 of a fault
  bool is_end_without_mpi_ = false;
  std::optional<EndOfRound> end_ = {};
};

}  // namespace spillway
