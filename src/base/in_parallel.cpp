#include "base/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

namespace spillway {
namespace {

class Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& each) : count_(count), each_(each) {}

  void work() {
    try {
      for (std::size_t i = next_++; i < count_; i = next_++) each_(i);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::current_exception();
    }
  }

  void end() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& each_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr fault_;
};

}  // namespace

void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& each) {
  ensure(threads > 0, "a loop runs on at least one thread");
  Loop loop(count, each);
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min<std::size_t>(threads, count))
      others.emplace_back([&] { loop.work(); });
  } catch (const std::system_error&) {  // no further thread can start: the existing ones do the work
  }
  loop.work();
  others.clear();
  loop.end();
}

}  // namespace spillway
