#include "synthesize/exact_order.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace spillway {
namespace {

constexpr Seconds kNever(std::numeric_limits<double>::infinity());

// Sums in another order differ by this much.
constexpr double kSame = 1 - 1e-12;

class ActiveOrders {
 public:
  ActiveOrders(const PassNeeds& needs, std::uint32_t ranks, Seconds known, std::uint64_t& nodes)
      : needs_(needs),
        nodes_(nodes),
        least_(known),
        free_(ranks),
        left_(ranks),
        end_(needs.event.size(), kNever),
        sequences_(ranks) {
    for (std::size_t pass = 0; pass < end_.size(); ++pass) left_[rank_of(pass)] += needs.duration[pass];
  }

  std::optional<PassSequences> best() {
    branch(0);
    if (nodes_ == 0) return std::nullopt;
    return best_;
  }

 private:
  std::uint32_t rank_of(std::size_t pass) const { return needs_.rank[pass].index(); }

  // When the pass could start; never if it has run, or if a pass that it needs has not.
  Seconds start(std::size_t pass) const {
    if (end_[pass] < kNever) return kNever;
    Seconds start = free_[rank_of(pass)];
    for (const PassNeed& need : needs_.needs[pass]) start = std::max(start, end_[need.pass] + need.delay);
    return start;
  }

  bool is_hopeless() const {
    std::vector<Seconds> behind(free_.size(), kNever);
    for (std::size_t pass = 0; pass < end_.size(); ++pass) {
      if (end_[pass] < kNever && end_[pass] + needs_.tail[pass] >= least_ * kSame) return true;
      if (end_[pass] == kNever) behind[rank_of(pass)] = std::min(behind[rank_of(pass)], needs_.tail[pass]);
    }
    for (std::size_t rank = 0; rank < free_.size(); ++rank)
      if (behind[rank] < kNever && free_[rank] + left_[rank] + behind[rank] >= least_ * kSame) return true;
    return false;
  }

  void branch(std::size_t run) {
    if (nodes_ == 0 || --nodes_ == 0 || is_hopeless()) return;
    if (run == end_.size()) return keep();
    std::size_t first = 0;
    Seconds soonest = kNever;
    std::vector<Seconds> starts;
    for (std::size_t pass = 0; pass < end_.size(); ++pass) {
      starts.push_back(start(pass));
      if (const Seconds end = starts[pass] + needs_.duration[pass]; end < soonest)
        soonest = end, first = pass;
    }
    std::vector<std::size_t> next;
    for (std::size_t pass = 0; pass < end_.size(); ++pass)
      if (rank_of(pass) == rank_of(first) && (pass == first || starts[pass] < soonest)) next.push_back(pass);
    std::ranges::stable_sort(next, std::greater(), [&](std::size_t pass) { return needs_.tail[pass]; });
    for (const std::size_t pass : next) run_next(pass, starts[pass], run);
  }

  void run_next(std::size_t pass, Seconds start, std::size_t run) {
    const std::uint32_t rank = rank_of(pass);
    const Seconds free = free_[rank], left = left_[rank];
    free_[rank] = end_[pass] = start + needs_.duration[pass];
    left_[rank] -= needs_.duration[pass];
    sequences_[rank].push_back(needs_.event[pass]);
    branch(run + 1);
    sequences_[rank].pop_back();
    end_[pass] = kNever;
    free_[rank] = free;
    left_[rank] = left;
  }

  void keep() {
    Seconds last;
    for (std::size_t pass = 0; pass < end_.size(); ++pass)
      last = std::max(last, end_[pass] + needs_.end[pass]);
    if (last >= least_ * kSame) return;
    least_ = last;
    best_ = sequences_;
  }

  const PassNeeds& needs_;
  std::uint64_t& nodes_;
  Seconds least_;
  std::vector<Seconds> free_, left_;  // by rank: the end of its last pass, and the work to come
  std::vector<Seconds> end_;          // by pass; never: it has not run
  PassSequences sequences_;
  std::optional<PassSequences> best_;
};

}  // namespace

std::optional<PassSequences> exact_order(const PassNeeds& needs, std::uint32_t ranks, Seconds known,
                                         std::uint64_t& nodes) {
  return ActiveOrders(needs, ranks, known, nodes).best();
}

}  // namespace spillway
