#include "sim/turn.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "base/error.h"

// The clock itself, for which SimGrid 3.32 has no function: simgrid::kernel::EngineImpl::now_ (its
// src/kernel/EngineImpl.hpp). Null where another SimGrid has none of that name; times then agree to 1e-9.
extern double simgrid_now __asm__("_ZN7simgrid6kernel10EngineImpl4now_E") __attribute__((weak));

namespace spillway {
namespace {

// No std::recursive_mutex: that would know its holder by a number that a forked process has anew.
std::mutex in_use;
std::atomic<std::thread::id> holder;
int turns = 0;           // of the holder, that live
bool replaying = false;  // in one of them

}  // namespace

SimGridTurn::SimGridTurn() {
  if (holder != std::this_thread::get_id()) {
    in_use.lock();
    holder = std::this_thread::get_id();
  }
  ++turns;
}

SimGridTurn::~SimGridTurn() {
  if (--turns > 0) return;
  holder = std::thread::id();
  in_use.unlock();
}

void SimGridTurn::restart_clock() {
  ensure(!replaying, "the clock is not restarted under a replay");
  if (&simgrid_now != nullptr) simgrid_now = 0;
}

ReplayTurn::ReplayTurn() {
  ensure(!replaying, "one replay at a time: SimGrid has one engine");
  replaying = true;
}

ReplayTurn::~ReplayTurn() {
  replaying = false;
}

}  // namespace spillway
