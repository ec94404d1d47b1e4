// Rank 0's part in one round of points.
#pragma once

#include <chrono>
#include <exception>
#include <string_view>
#include <vector>

#include "sweep/run/follower.h"
#include "sweep/run/handout.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/mailbox.h"
#include "sweep/run/thread_team.h"

namespace spillway {

class LeadRound {
 public:
  // `followers` by rank, without rank 0's at 0; they go from round to round.
  LeadRound(Mailbox& mail, std::vector<Follower>& followers, std::size_t round,
            const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep);

  // As RankedJob::lead.
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
  std::exception_ptr fault_ = {};  // the first, of whoever
  std::chrono::steady_clock::time_point shown_ = {};
  ThreadTeam team_;
};

}  // namespace spillway
