#include "sweep/run/keeper.h"

#include <iterator>
#include <utility>

namespace spillway {

void Keeper::add(std::vector<FinishedPoint> finished) {
  std::move(finished.begin(), finished.end(), std::back_inserter(unkept_));
  if (Clock::now() - kept_ >= kKeepEvery || unkept_.size() >= kMostUnkept) flush();
}

void Keeper::flush() {
  std::vector<FinishedPoint> finished = std::exchange(unkept_, {});
  kept_ = Clock::now();
  if (refused_ || finished.empty()) return;
  refused_ = true;  // unless it returns
  keep_(std::move(finished));
  refused_ = false;
}

}  // namespace spillway
