#include "execute/clock.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace spillway {

Seconds now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Seconds(double(time.tv_sec) + double(time.tv_nsec) * 1e-9);
}

void sleep_until(Seconds then) {
  const double whole = std::floor(then.value());
  const timespec time{static_cast<time_t>(whole), static_cast<long>((then.value() - whole) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

void sleep_precisely() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

void Naps::nap(Seconds then) {
  sleep_until(std::min(then, now() + next_));
  next_ = std::min(2 * next_, longest_);
}

}  // namespace spillway
