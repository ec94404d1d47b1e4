#include "sweep/run/handout.h"

#include <algorithm>
#include <functional>

namespace spillway {

Handout::Handout(const std::vector<std::size_t>& points, std::size_t holders)
    : waiting_(points.begin(), points.end()), held_(holders), unfinished_(points.size()) {}

std::vector<std::size_t> Handout::take(std::size_t holder, std::size_t wanted) {
  const std::size_t share = std::max<std::size_t>(1, waiting_.size() / (2 * held_.size()));
  std::vector<std::size_t> taken;
  while (!waiting_.empty() && taken.size() < std::min(wanted, share)) {
    const std::size_t point = waiting_.front();
    waiting_.pop_front();
    if (returned_and_finished(point)) continue;
    held_[holder].insert(point);
    taken.push_back(point);
  }
  return taken;
}

bool Handout::finish(std::size_t holder, std::size_t point) {
  const bool held = held_[holder].erase(point) > 0;
  const auto returned = returned_.find(point);
  const bool first = returned == returned_.end() ? held : !returned->second;
  if (!first) return false;
  if (returned != returned_.end()) returned->second = true;
  --unfinished_;
  return true;
}

void Handout::lose(std::size_t holder) {
  std::vector<std::size_t> lost(held_[holder].begin(), held_[holder].end());
  std::sort(lost.begin(), lost.end(), std::greater<>());
  held_[holder].clear();
  for (const std::size_t point : lost)
    if (returned_.emplace(point, false).first->second == false) waiting_.push_front(point);
}

bool Handout::returned_and_finished(std::size_t point) const {
  const auto returned = returned_.find(point);
  return returned != returned_.end() && returned->second;
}

}  // namespace spillway
