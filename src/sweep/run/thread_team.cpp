#include "sweep/run/thread_team.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

constexpr std::size_t kMostAtOnce = 16;  // points that a thread takes at once

}  // namespace

ThreadTeam::ThreadTeam(unsigned jobs, const Compute& compute)
    : compute_(compute), jobs_(jobs), running_(jobs) {
  try {
    while (threads_.size() < jobs) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // no room for more threads: the others do the work
    if (threads_.empty()) throw;
    const std::lock_guard lock(mutex_);
    running_ -= jobs - threads_.size();
  }
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = abandoned_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::give(const std::vector<std::size_t>& points) {
  const std::lock_guard lock(mutex_);
  points_.insert(points_.end(), points.begin(), points.end());
  more_.notify_all();
}

void ThreadTeam::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  more_.notify_all();
}

void ThreadTeam::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  more_.notify_all();
}

std::vector<FinishedPoint> ThreadTeam::take(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait,
                    [this] { return running_out_ || finished_.size() >= kMostUnkept || running_ == 0; });
  running_out_ = false;
  more_.notify_all();
  return std::exchange(finished_, {});
}

bool ThreadTeam::ended() const {
  const std::lock_guard lock(mutex_);
  return running_ == 0 && finished_.empty();
}

std::size_t ThreadTeam::waiting() const {
  const std::lock_guard lock(mutex_);
  return points_.size();
}

std::size_t ThreadTeam::short_of(std::chrono::milliseconds time) const {
  const std::lock_guard lock(mutex_);
  const double share = std::chrono::duration<double>(time) / (Clock::now() - begun_);
  const auto pace = static_cast<std::size_t>(share * static_cast<double>(computed_));
  const std::size_t enough = std::clamp(pace, jobs_, 8 * kMostAtOnce * jobs_);
  return enough - std::min(enough, points_.size());
}

std::exception_ptr ThreadTeam::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void ThreadTeam::work() {
  for (auto points = next_points(); !points.empty(); points = next_points())
    for (const std::size_t point : points)
      if (!compute_one(point)) break;
  leave();
}

// Waits for points. Returns none at the end.
std::vector<std::size_t> ThreadTeam::next_points() {
  std::unique_lock lock(mutex_);
  more_.wait(lock, [this] { return !points_.empty() || closed_ || stopped_; });
  if (stopped_) return {};
  const std::size_t share = points_.size() / (4 * jobs_);
  const std::size_t count = std::min(points_.size(), std::clamp<std::size_t>(share, 1, kMostAtOnce));
  const std::vector<std::size_t> points(points_.begin(), points_.begin() + count);
  points_.erase(points_.begin(), points_.begin() + count);
  if (points_.size() < jobs_ && !closed_) {
    running_out_ = true;
    changed_.notify_one();
  }
  return points;
}

// Returns false if the team is to stop.
bool ThreadTeam::compute_one(std::size_t point) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
  }
  try {
    finish({point, compute_(point)});
    return true;
  } catch (const Interrupted&) {
    stop();
  } catch (...) {
    fail(std::current_exception());
  }
  return false;
}

void ThreadTeam::finish(FinishedPoint finished) {
  std::unique_lock lock(mutex_);
  more_.wait(lock, [this] { return finished_.size() < kMostUnkept || abandoned_; });
  finished_.push_back(std::move(finished));
  ++computed_;
  if (finished_.size() >= kMostUnkept) changed_.notify_one();
}

void ThreadTeam::fail(std::exception_ptr thrown) {
  request_stop();
  const std::lock_guard lock(mutex_);
  if (!fault_) fault_ = std::move(thrown);
  stopped_ = true;
  more_.notify_all();
}

void ThreadTeam::leave() {
  const std::lock_guard lock(mutex_);
  if (--running_ == 0) changed_.notify_one();
}

void compute_in_threads(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                        const Keep& keep) {
  ensure(jobs > 0, "points are computed by at least one thread");
  const CaughtSignals signals;
  ThreadTeam team(static_cast<unsigned>(std::min<std::size_t>(jobs, points.size())), compute);
  team.give(points);
  team.close();
  Keeper keeper(keep);
  while (!team.ended()) {
    if (signals.arrived()) team.stop();
    keeper.add(team.take(kKeepEvery / 2));
  }
  keeper.flush();
  if (const auto fault = team.fault()) std::rethrow_exception(fault);
  if (signals.arrived()) throw Interrupted();
}

}  // namespace spillway
