#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "sim/shared_flows.h"
#include "sim/turn.h"
#include "sweep/run/fault.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/keeper.h"
#include "sweep/run/workers.h"

namespace spillway {
namespace {

constexpr char kOutcomeMessage = 'o', kFaultMessage = 'f';  // the first byte of a message

std::string computed(std::size_t point, const Compute& compute) {
  try {
    return kOutcomeMessage + bytes_of(compute(point));
  } catch (...) {
    return kFaultMessage + fault_bytes(std::current_exception());
  }
}

void send(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(pipe, bytes.data(), bytes.size());
    if (sent > 0) bytes.remove_prefix(sent);
    if (sent < 0 && errno != EINTR) _exit(1);
  }
}

// The kernel kills this process if the owner dies after prctl. If the owner died before it, getppid()
// differs.
void end_with(pid_t owner) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner) _exit(1);
}

// Leaves by _exit, since the buffers and exit handlers belong to the owner.
[[noreturn]] void live(pid_t owner, std::size_t point, const Compute& compute, int pipe) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  end_with(owner);
  send(pipe, computed(point, compute));
  _exit(0);
}

// Forks while no other thread is inside SimGrid, because the new process uses SimGrid.
pid_t fork_outside_simgrid() {
  const SimGridTurn turn;
  load_simgrid();
  return fork();
}

[[noreturn]] void throw_system_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string death(std::size_t point, int status) {
  const std::string text = "the process that computed point " + std::to_string(point);
  if (!WIFSIGNALED(status)) return text + " ended without an outcome";
  const int signal = WTERMSIG(status);
  return text + " was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

// A process that computes one point and sends its outcome through a pipe. The process ends when its owner
// ends, for whatever reason. It ignores SIGINT and SIGTERM, which the owner handles.
class PointProcess {
 public:
  class Killed : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // Forks. Throws std::system_error if the system refuses.
  PointProcess(std::size_t point, const Compute& compute);
  ~PointProcess();
  PointProcess(PointProcess&& other) noexcept;
  PointProcess& operator=(PointProcess&& other) noexcept;

  std::size_t point() const { return point_; }
  int pipe() const { return pipe_; }  // readable when read_some() has something to do

  // Takes what the pipe holds. Returns true at the end of the message.
  bool read_some();
  // Contract: read_some() returned true. Throws what `compute` threw in the process, Killed if the process
  // was killed (SIGKILL, as by a system that is out of memory), and std::runtime_error if it died otherwise.
  PointOutcome outcome();

 private:
  int wait();

  std::size_t point_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string message_;
};

// A process that another thread forks must not inherit the write end: the pipe would then stay open.
PointProcess::PointProcess(std::size_t point, const Compute& compute) : point_(point) {
  static std::mutex forking;
  const std::lock_guard lock(forking);
  const pid_t owner = getpid();
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_system_error("cannot make a pipe to a process of its own");
  process_ = fork_outside_simgrid();
  if (process_ == 0) live(owner, point, compute, ends[1]);
  close(ends[1]);
  pipe_ = ends[0];
  if (process_ > 0) return;
  close(pipe_);
  throw_system_error("cannot start a process of its own");
}

PointProcess::~PointProcess() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  wait();
}

PointProcess::PointProcess(PointProcess&& other) noexcept
    : point_(other.point_),
      process_(std::exchange(other.process_, -1)),
      pipe_(std::exchange(other.pipe_, -1)),
      message_(std::move(other.message_)) {}

PointProcess& PointProcess::operator=(PointProcess&& other) noexcept {
  std::swap(point_, other.point_);
  std::swap(process_, other.process_);
  std::swap(pipe_, other.pipe_);
  std::swap(message_, other.message_);
  return *this;
}

bool PointProcess::read_some() {
  std::array<char, 1 << 16> part;
  const ssize_t got = read(pipe_, part.data(), part.size());
  if (got > 0) message_.append(part.data(), got);
  if (got < 0 && errno != EINTR) throw_system_error("cannot read what a process of its own computed");
  return got == 0;
}

PointOutcome PointProcess::outcome() {
  const int status = wait();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) throw Killed(death(point_, status));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message_.empty())
    throw std::runtime_error(death(point_, status));
  const std::string_view content = std::string_view(message_).substr(1);
  if (message_.front() == kFaultMessage) rethrow_fault(content);
  return outcome_from(content);
}

PointOutcome outcome_of_killed() {
  return {.refusal =
              "the process that computed it was killed twice, as happens where a machine has no memory left"};
}

int PointProcess::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  return status;
}

constexpr int kPatience = 100;  // milliseconds between two looks at whether to stop

// Waits until a pipe has something to read, but at most kPatience.
void wait_for(std::vector<pollfd>& pipes) {
  if (poll(pipes.data(), pipes.size(), kPatience) < 0)
    for (pollfd& pipe : pipes) pipe.revents = 0;
}

class ProcessTeam {
 public:
  ProcessTeam(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute)
      : points_(points), jobs_(jobs), compute_(compute) {}

  bool ended() const { return running_.empty() && begun_ == points_.size() && killed_.empty(); }

  // Waits for outcomes for at most kPatience, and keeps those that are there.
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
  // Begins points of killed processes last, one at a time: memory may suffice when nothing runs beside them.
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
  std::vector<std::size_t> killed_;  // points whose process was killed once
  bool is_alone_ = false;            // the running process computes one of them
};

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
