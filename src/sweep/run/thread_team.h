// Threads that compute points handed to them, and hold the outcomes until they are taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

// For one thread, its owner. Memory is bounded: threads wait while many outcomes have not been taken.
class ThreadTeam {
 public:
  // `compute` outlives the team.
  ThreadTeam(unsigned jobs, const Compute& compute);
  // Ends as soon as the points that have begun are computed; their outcomes are dropped.
  ~ThreadTeam();

  // More points, begun in the order given, each thread taking a few neighbours at a time: they are likely to
  // share derived orders.
  void give(const std::vector<std::size_t>& points);
  void close();  // no more are given: the team ends when all are computed
  void stop();   // and no more are begun

  // What was finished since the last call. Waits for at most so long, and no longer than until the team has
  // ended, is about to run out of points, or cannot go on before something is taken.
  std::vector<FinishedPoint> take(std::chrono::milliseconds wait);
  // All threads have ended and every outcome was taken.
  bool ended() const;
  std::size_t waiting() const;  // points that no thread has taken
  // How many more points to ask for, so that the team has something to do for so long at its pace so far.
  std::size_t short_of(std::chrono::milliseconds time) const;

  // The first thing that `compute` threw, if any; it stops the team.
  std::exception_ptr fault() const;

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  std::vector<std::size_t> next_points();
  bool compute_one(std::size_t point);
  void finish(FinishedPoint finished);
  void fail(std::exception_ptr thrown);
  void leave();

  const Compute& compute_;
  const std::size_t jobs_;
  const Clock::time_point begun_ = Clock::now();
  mutable std::mutex mutex_;         // of all below
  std::condition_variable more_;     // for threads: points, room for an outcome, or the end
  std::condition_variable changed_;  // for the owner
  std::deque<std::size_t> points_;
  std::vector<FinishedPoint> finished_;
  std::size_t computed_ = 0;
  std::size_t running_;
  bool closed_ = false, stopped_ = false, abandoned_ = false;
  bool running_out_ = false;  // since the last take
  std::exception_ptr fault_;
  std::vector<std::thread> threads_;
};

}  // namespace spillway
