#include "api/sweep_run.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

namespace spillway {
namespace {

// A few points.
constexpr std::size_t kFewest = 16, kMost = 512;
// How often a process asks whether the points of another are done.
constexpr std::chrono::milliseconds kBetweenLooks{200};

}  // namespace

SweepRun::SweepRun(const SweepFile& file, const std::vector<GridPoint>& grid, ResultStore& store, Shard shard,
                   Claim claim, const OnPoints& on_points)
    : grid_(grid), store_(store), claims_(store.path()), claim_(claim), on_points_(on_points) {
  std::unordered_map<std::string_view, std::size_t> first_of;
  for (std::size_t point = 0; point < grid.size(); ++point)
    first_.push_back(first_of.try_emplace(grid[point].key, point).first->second);
  std::set<std::string> known = store.finished();
  for (std::size_t point = shard.index; point < grid.size(); point += shard.count) {
    ++points_;
    if (!known.insert(grid[point].key).second)
      ++done_;
    else
      (file.replayed(point) ? replayed_ : plain_).push_back(point);
  }
  if (on_points_) on_points_(done_, points_);
}

void SweepRun::run(std::vector<std::size_t> left, const ComputeAll& compute) {
  while (!left.empty()) {
    if (signals_.arrived()) throw Interrupted();
    const std::vector<std::size_t> mine = claim_some(left);
    if (mine.empty()) {
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    compute(mine, [&](std::vector<FinishedPoint> finished) { keep(std::move(finished)); });
    for (const std::size_t point : mine) claims_.release(first_[point]);
  }
}

// Takes points out of `left`: those that another process finished, and those to be computed here.
std::vector<std::size_t> SweepRun::claim_some(std::vector<std::size_t>& left) {
  const std::size_t most =
      claim_ == Claim::All ? left.size() : std::clamp<std::size_t>(left.size() / 8, kFewest, kMost);
  std::vector<std::size_t> mine, others;
  for (const std::size_t point : left) {
    if (mine.size() == most || !claims_.claim(first_[point])) {
      others.push_back(point);
    } else if (store_.has(grid_[point].key)) {
      claims_.release(first_[point]);
      now_done(1);
    } else {
      mine.push_back(point);
    }
  }
  left = std::move(others);
  return mine;
}

void SweepRun::now_done(std::size_t more) {
  done_ += more;
  if (on_points_) on_points_(done_, points_);
}

void SweepRun::keep(std::vector<FinishedPoint> finished) {
  std::vector<KeyedOutcome> outcomes;
  for (FinishedPoint& one : finished) outcomes.push_back({grid_[one.point].key, std::move(one.outcome)});
  store_.put(outcomes);
  computed_ += outcomes.size();
  now_done(outcomes.size());
}

}  // namespace spillway
