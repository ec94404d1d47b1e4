// A process that computes one point and sends its outcome through a pipe.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>

#include "sweep/run/workers.h"

namespace spillway {

// The process ends with its owner, whichever way that ends. It ignores SIGINT and SIGTERM: those are its
// owner's to act on.
class PointProcess {
 public:
  class Killed : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // Forks. Throws std::system_error where that cannot be.
  PointProcess(std::size_t point, const Compute& compute);
  ~PointProcess();
  PointProcess(PointProcess&& other) noexcept;
  PointProcess& operator=(PointProcess&& other) noexcept;

  std::size_t point() const { return point_; }
  int pipe() const { return pipe_; }  // readable when read_some() has something to do

  // Takes what the pipe holds; true once that was all.
  bool read_some();
  // Contract: read_some() said true. Throws what the process's `compute` threw, Killed where the process was
  // killed (SIGKILL, as by a system without memory left), and std::runtime_error where it died otherwise.
  PointOutcome outcome();

 private:
  int wait();

  std::size_t point_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string message_;
};

// Of a point whose process was killed again: a refusal that says so.
PointOutcome outcome_of_killed();

}  // namespace spillway
