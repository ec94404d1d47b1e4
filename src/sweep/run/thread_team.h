// Threads that compute the given points and hold the outcomes until the owner takes them.
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

// Only one thread, the owner, may call it. Memory is bounded: the threads wait while too many outcomes have
// not been taken.
class ThreadTeam {
 public:
  // `compute` outlives the team.
  ThreadTeam(unsigned jobs, const Compute& compute);
  // Waits until the points that have begun are computed, and drops their outcomes.
  ~ThreadTeam();

  // Adds points. Threads begin them in the order given. Each thread takes a few neighbours at a time, because
  // neighbours are likely to share derived orders.
  void give(const std::vector<std::size_t>& points);
  void close();  // no more points will be given: the team ends when all are computed
  void stop();   // the team begins no more points

  // Returns the outcomes since the last call. Waits for at most `wait`. Returns earlier if the team has
  // ended, is about to run out of points, or cannot go on before something is taken.
  std::vector<FinishedPoint> take(std::chrono::milliseconds wait);
  // Returns true if all threads have ended and every outcome was taken.
  bool ended() const;
  std::size_t waiting() const;  // points that no thread has taken
  // Returns how many more points to ask for, so that the team has work for `time` at its pace so far.
  std::size_t short_of(std::chrono::milliseconds time) const;

  // The first exception that `compute` threw, if any. It stops the team.
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
  mutable std::mutex mutex_;         // guards all members below
  std::condition_variable more_;     // wakes threads: points, room for an outcome, or the end
  std::condition_variable changed_;  // wakes the owner
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
