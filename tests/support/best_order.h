// The least makespan of any order of passes on their ranks, by trying all orders that matter: the oracle of
// bounds and of searches. Slow: for about 24 passes.
//
// Some best order is active: no pass could start earlier without delaying another. Giffler and Thompson
// (Algorithms for solving production-scheduling problems, 1960) list all active orders: take the rank on
// which a pass can end first, and branch on every pass of this rank that can start before that end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace spillway::testing {

// A pass and the passes that it needs, with lower numbers. Outputs reach other ranks `transfer` later.
struct OraclePass {
  std::uint32_t rank;
  double duration;
  std::vector<std::uint32_t> after;
};

class BestOrder {
 public:
  BestOrder(std::vector<OraclePass> passes, std::uint32_t ranks, double transfer)
      : passes_(std::move(passes)), transfer_(transfer), free_(ranks, 0), end_(passes_.size(), kNotRun) {
    tail_.assign(passes_.size(), 0);
    for (std::size_t pass = passes_.size(); pass-- > 0;)
      for (const std::uint32_t before : passes_[pass].after)
        tail_[before] = std::max(tail_[before], delay(before, pass) + passes_[pass].duration + tail_[pass]);
  }

  double makespan() {
    branch(0);
    return best_;
  }

 private:
  static constexpr double kNotRun = -1, kNever = std::numeric_limits<double>::infinity();

  double delay(std::size_t from, std::size_t to) const {
    return passes_[from].rank == passes_[to].rank ? 0 : transfer_;
  }

  // When the pass could start; kNever if a pass that it needs has not run, or if it has run itself.
  double ready(std::size_t pass) const {
    if (end_[pass] != kNotRun) return kNever;
    double start = free_[passes_[pass].rank];
    for (const std::uint32_t before : passes_[pass].after) {
      if (end_[before] == kNotRun) return kNever;
      start = std::max(start, end_[before] + delay(before, pass));
    }
    return start;
  }

  // No order that continues this one can be better than the best so far.
  bool is_hopeless() const {
    std::vector<double> left(free_), behind(free_.size(), kNever);
    for (std::size_t pass = 0; pass < passes_.size(); ++pass) {
      const std::uint32_t rank = passes_[pass].rank;
      if (end_[pass] != kNotRun && end_[pass] + tail_[pass] >= best_) return true;
      if (end_[pass] != kNotRun) continue;
      left[rank] += passes_[pass].duration;
      behind[rank] = std::min(behind[rank], tail_[pass]);
    }
    for (std::size_t rank = 0; rank < left.size(); ++rank)
      if (behind[rank] != kNever && left[rank] + behind[rank] >= best_) return true;
    return false;
  }

  void branch(std::size_t run) {
    if (is_hopeless()) return;
    if (run == passes_.size()) {
      best_ = *std::ranges::max_element(end_);
      return;
    }
    std::size_t first = 0;
    double soonest = kNever;
    for (std::size_t pass = 0; pass < passes_.size(); ++pass)
      if (const double end = ready(pass) + passes_[pass].duration; end < soonest) soonest = end, first = pass;
    for (std::size_t pass = 0; pass < passes_.size(); ++pass)
      if (passes_[pass].rank == passes_[first].rank && (pass == first || ready(pass) < soonest))
        run_next(pass, run);
  }

  void run_next(std::size_t pass, std::size_t run) {
    double& free = free_[passes_[pass].rank];
    const double before = free;
    free = end_[pass] = ready(pass) + passes_[pass].duration;
    branch(run + 1);
    end_[pass] = kNotRun;
    free = before;
  }

  const std::vector<OraclePass> passes_;
  const double transfer_;
  std::vector<double> free_;  // by rank: the end of its last pass
  std::vector<double> end_, tail_;
  double best_ = kNever;
};

// A pipeline of one stage on each rank with whole backwards: times by stage, and a factor for each
// microbatch.
struct OraclePipeline {
  std::vector<double> forward, backward;  // by stage
  std::vector<double> work;               // by microbatch
  double transfer = 0;

  std::vector<OraclePass> passes() const {
    const auto stages = static_cast<std::uint32_t>(forward.size());
    std::vector<OraclePass> all;
    for (const double factor : work) {
      for (std::uint32_t i = 0; i < 2 * stages; ++i) {
        const bool back = i >= stages;
        const std::uint32_t stage = back ? 2 * stages - 1 - i : i;
        const auto number = static_cast<std::uint32_t>(all.size());
        std::vector<std::uint32_t> after;
        if (i > 0) after.push_back(number - 1);
        all.push_back({stage, (back ? backward : forward)[stage] * factor, after});
      }
    }
    return all;
  }
  double best() const {
    return BestOrder(passes(), static_cast<std::uint32_t>(forward.size()), transfer).makespan();
  }
};

}  // namespace spillway::testing
