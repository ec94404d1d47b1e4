// A process that computes one point and sends its outcome through a pipe.
#pragma once

#include <sys/types.h>

#include <string>

#include "runner/workers.h"

namespace spillway {

// The process ends with its owner, whichever way that ends. It ignores SIGINT and SIGTERM: those are its
// owner's to act on.
class PointProcess {
 public:
  // Forks. Throws std::system_error where that cannot be.
  PointProcess(std::size_t point, const Compute& compute);
  ~PointProcess();
  PointProcess(PointProcess&& other) noexcept;
  PointProcess& operator=(PointProcess&& other) noexcept;

  std::size_t point() const { return point_; }
  int pipe() const { return pipe_; }  // readable when read_some() has something to do

  // Takes what the pipe holds; true once that was all.
  bool read_some();
  // Contract: read_some() said true. Throws what the process's `compute` threw, and std::runtime_error where
  // the process died.
  PointOutcome outcome();

 private:
  int wait();

  std::size_t point_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string message_;
};

}  // namespace spillway
