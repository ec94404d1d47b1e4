#include "sweep/run/interrupts.h"

#include <atomic>

namespace spillway {
namespace {

std::atomic<bool> signal_arrived = false;
std::atomic<bool> stop = false;
int caught_signals = 0;                                 // living objects
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may use only such atomics

void take_note(int) {
  signal_arrived = true;
  stop = true;
}

struct sigaction catch_signal(int signal) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return before;
  struct sigaction note {};
  note.sa_handler = take_note;
  note.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(signal, &note, nullptr);
  return before;
}

}  // namespace

CaughtSignals::CaughtSignals() {
  if (caught_signals++ == 0) signal_arrived = false;
  stop = false;
  if (signal_arrived) stop = true;  // a signal may come between the two lines above
  interrupt_ = catch_signal(SIGINT);
  terminate_ = catch_signal(SIGTERM);
}

CaughtSignals::~CaughtSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  stop = false;
  --caught_signals;
}

bool CaughtSignals::arrived() const {
  return signal_arrived;
}

bool stop_requested() {
  return stop;
}

void request_stop() {
  stop = true;
}

}  // namespace spillway
