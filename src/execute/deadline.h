// Ends a process that other processes keep waiting where nothing else watches: in MPI's start and end, and
// wherever MPI does not return. Private to src/execute.
//
// Idea: the process says until when it will be busy with something that ends by itself, and says so again and
// again. A thread looks once a second. It counts the looks after that time, not the time: while the process
// itself is stopped, nothing is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/quantity.h"

namespace spillway {

using SayText = std::function<void(const std::string&)>;

// The exit status of a job that ends because a process of it does not run: that of a killed process.
inline constexpr int kSilentStatus = 137;

class Deadline {
 public:
  // MPI's start, the exchange of results and MPI's end take seconds, with 32 ranks on two cores, too.
  static constexpr std::uint32_t kLongestSilence = 60;  // looks, one a second

  explicit Deadline(SayText say, std::uint32_t most = kLongestSilence);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // The process gets on now, or will until then. Any thread may call it.
  void busy_until(Seconds then) { busy_until_.store(then.value(), std::memory_order_relaxed); }

 private:
  void watch();

  SayText say_;
  std::uint32_t most_;
  std::atomic<double> busy_until_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace spillway
