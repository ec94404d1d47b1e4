// Measures host time since construction. The program reports its own speed with it; no result depends on it.
#pragma once

#include <chrono>

namespace spillway {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace spillway
