#include "sweep/run/point_process.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "sim/turn.h"
#include "sweep/run/fault.h"

namespace spillway {
namespace {

constexpr char kOutcomeMessage = 'o', kFaultMessage = 'f';  // what a message begins with

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

// The kernel tells of an owner that dies after prctl; one that died before it has left us to somebody else.
void end_with(pid_t owner) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner) _exit(1);
}

// Leaves by _exit: buffers and handlers of the owner are its own.
[[noreturn]] void live(pid_t owner, std::size_t point, const Compute& compute, int pipe) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  end_with(owner);
  send(pipe, computed(point, compute));
  _exit(0);
}

// While no other thread is inside SimGrid, which the new process is to use.
pid_t fork_outside_simgrid() {
  const SimGridTurn turn;
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

}  // namespace

// A process forked by another thread must not inherit the end that is written to: the pipe would stay open.
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

}  // namespace spillway
