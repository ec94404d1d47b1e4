#include <poll.h>

#include <algorithm>

#include "base/error.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/point_process.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

constexpr int kPatience = 100;  // milliseconds until a look at whether to stop

// Waits until one of them has something to read, or for kPatience.
void wait_for(std::vector<pollfd>& pipes) {
  if (poll(pipes.data(), pipes.size(), kPatience) < 0)
    for (pollfd& pipe : pipes) pipe.revents = 0;
}

class ProcessTeam {
 public:
  ProcessTeam(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute)
      : points_(points), jobs_(jobs), compute_(compute) {}

  bool ended() const { return running_.empty() && begun_ == points_.size() && killed_.empty(); }

  // Keeps what is finished by the time one is, or a little later.
  void step(Keeper& keeper) {
    begin_some();
    std::vector<pollfd> pipes;
    for (const PointProcess& process : running_) pipes.push_back({process.pipe(), POLLIN, 0});
    wait_for(pipes);
    keeper.add({});
    for (std::size_t i = pipes.size(); i-- > 0;)
      if (pipes[i].revents != 0 && running_[i].read_some()) collect(i, keeper);
  }

 private:
  // Points whose process was killed come last, one at a time: with nothing beside them there may be memory.
  void begin_some() {
    while (running_.size() < jobs_ && begun_ < points_.size())
      running_.emplace_back(points_[begun_++], compute_);
    if (!running_.empty() || killed_.empty()) return;
    running_.emplace_back(killed_.back(), compute_);
    killed_.pop_back();
    is_alone_ = true;
  }

  void collect(std::size_t index, Keeper& keeper) {
    PointProcess process = std::move(running_[index]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
    std::vector<FinishedPoint> finished;
    try {
      finished.push_back({process.point(), process.outcome()});
    } catch (const PointProcess::Killed&) {
      if (!is_alone_) return killed_.push_back(process.point());
      finished.push_back({process.point(), outcome_of_killed()});
    }
    keeper.add(std::move(finished));
  }

  const std::vector<std::size_t>& points_;
  const std::size_t jobs_;
  const Compute& compute_;
  std::vector<PointProcess> running_;
  std::size_t begun_ = 0;
  std::vector<std::size_t> killed_;  // once
  bool is_alone_ = false;            // those that run were killed before
};

}  // namespace

void compute_in_processes(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                          const Keep& keep) {
  ensure(jobs > 0, "points are computed by at least one process");
  const CaughtSignals signals;
  ProcessTeam team(points, jobs, compute);
  Keeper keeper(keep);
  try {
    while (!team.ended() && !signals.arrived()) team.step(keeper);
  } catch (...) {
    keeper.flush();
    throw;
  }
  keeper.flush();
  if (signals.arrived()) throw Interrupted();
}

namespace {

PointOutcome computed_apart(std::size_t point, const Compute& compute) {
  PointProcess process(point, compute);
  std::vector<pollfd> pipe = {{process.pipe(), POLLIN, 0}};
  do {
    if (stop_requested()) throw Interrupted();
    wait_for(pipe);
  } while (pipe[0].revents == 0 || !process.read_some());
  return process.outcome();
}

}  // namespace

PointOutcome compute_in_process(std::size_t point, const Compute& compute) {
  for (int tries = 0; tries < 2; ++tries) {
    try {
      return computed_apart(point, compute);
    } catch (const PointProcess::Killed&) {
    }
  }
  return outcome_of_killed();
}

}  // namespace spillway
