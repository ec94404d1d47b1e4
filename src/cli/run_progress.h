// How far a run is, on a terminal, once it has taken a second.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stopwatch.h"

namespace spillway {

class RunProgress {
 public:
  explicit RunProgress(bool quiet);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();  // leaves the line empty

  void advance(std::uint64_t done, std::uint64_t total);

 private:
  Stopwatch watch_;
  double shown_at_ = 0;  // 0: not yet
  std::size_t columns_;  // of the terminal; 0: nothing is shown
};

}  // namespace spillway
