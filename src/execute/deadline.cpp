#include "execute/deadline.h"

#include <cstdlib>
#include <utility>

#include "execute/clock.h"

namespace spillway {

Deadline::Deadline(SayText say, std::uint32_t most)
    : say_(std::move(say)), most_(most), busy_until_(now().value()), thread_([this] { watch(); }) {}

Deadline::~Deadline() {
  over_ = true;
  thread_.join();
}

void Deadline::watch() {
  constexpr Seconds kBetweenLooks(1), kBetweenGlances = milliseconds(50);
  double last = busy_until_;
  std::uint32_t silent = 0;
  while (silent < most_) {
    const Seconds next = now() + kBetweenLooks;
    while (now() < next) {
      if (over_) return;
      sleep_until(now() + kBetweenGlances);
    }
    const double busy = busy_until_;
    silent = busy != last || now().value() < busy ? 0 : silent + 1;
    last = busy;
  }
  if (say_)
    say_("ended: this process has waited for the others for " + std::to_string(most_) +
         " s, while the job starts, exchanges its results or ends; one of them is stopped, or gets no "
         "processor\n");
  std::_Exit(kSilentStatus);
}

}  // namespace spillway
