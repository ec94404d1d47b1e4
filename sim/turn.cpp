#include "sim/turn.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace spillway {
namespace {

// Not a std::recursive_mutex: it identifies its holder by a number that changes in a forked process.
std::mutex in_use;
std::atomic<std::thread::id> holder;
int turns = 0;           // live turns of the holder
bool replaying = false;  // whether one of them is a replay's

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

ReplayTurn::ReplayTurn() {
  ensure(!replaying, "one replay at a time: SimGrid has one engine");
  replaying = true;
}

ReplayTurn::~ReplayTurn() {
  replaying = false;
}

}  // namespace spillway
