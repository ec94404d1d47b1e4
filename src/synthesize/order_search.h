// Searches for the order of passes on every rank, and for the owners of encodes, for fixed stages and passes.
//
// Idea: list schedules by many priorities give orders that are good as a whole. Small changes then improve
// the best parts of one. A change moves one pass past others of its rank: most often a pass on the longest
// path that starts when another one of its rank ends and does not need it, since no other change of one rank
// can shorten that path. Sometimes two microbatches change places on all ranks, or passes are listed again by
// the times at which they start, with some noise. Encodes also change their rank and their time
// (encode_moves.h).
// Every order is one pass over the events for all lanes, the replicas of all planning draws.
//
//   rank 0  F1 F2 F3 B1 ...    the path runs through F3 and then B1, which was ready before F3 started:
//   rank 0  F1 F2 B1 F3 ...    B1 goes first
//
// A change is kept if the mean step is not longer, or not longer than that of the order kept kHistory tries
// ago (late acceptance). After many tries without a better order the search goes back to the best one, and
// may leave it for somewhat longer steps, or it climbs from a list schedule far from it. So it leaves local
// minima without a schedule of temperatures: after any number of tries the result is the same, whatever
// number was asked for. Tries alone count, never time.
//
// Cost: a try takes about 4 ns for each event and lane; one that changes an owner 5 to 20 times as much.
// Sources: J. Adams, E. Balas, D. Zawack, The shifting bottleneck procedure for job shop scheduling (1988);
// E. Nowicki, C. Smutnicki, A fast taboo search algorithm for the job shop problem (1996); E. K. Burke, Y.
// Bykov, The late acceptance hill-climbing heuristic (2017). Test: tests/synthesize/order_search_test.cpp,
// against the best of all orders.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "synthesize/encode_moves.h"
#include "synthesize/relisted_orders.h"
#include "workload/random_stream.h"

namespace spillway {

class OrderSearch {
 public:
  // The draws whose memory is walked: some for an order that is kept, all of them for the best order.
  enum class Walked { Some, All };
  // Returns true if no rank holds too much memory at any instant under this order.
  using Fits = std::function<bool(const OwnedOrder&, Walked)>;

  // Tries the first start; the others are tried next, in their order. Contract: at least one start; all have
  // the same passes, up to owners.
  OrderSearch(std::vector<OwnedOrder> starts, WithOwners with_owners, Fits fits, std::uint64_t seed);

  // Tries another order.
  void try_next();

  // False as long as no order that was tried fits.
  bool found() const { return best_step_ < kNone; }
  // The mean step of the best order, and that order. Contract: found().
  Seconds step() const { return best_step_; }
  const OwnedOrder& best() const { return best_; }
  const OwnedOrder& first() const { return starts_.front(); }
  std::uint64_t tries() const { return tries_; }
  // The number of starts: the first tries.
  std::uint64_t starts() const { return starts_.size(); }
  // The number of tries after which the search has seen enough of its placement to be compared with others:
  // the starts, and list schedules under some limits.
  std::uint64_t screened() const {
    return starts_.size() + std::min<std::uint64_t>(kScreened, rules_.size());
  }

 private:
  static constexpr Seconds kNone = Seconds(std::numeric_limits<double>::infinity());
  static constexpr std::size_t kHistory = 64;
  static constexpr std::uint64_t kScreened = 15;  // rules: 5 under each of 3 limits

  // Two passes that follow each other on a rank.
  struct Place {
    std::uint32_t rank;
    std::size_t second;
  };

  void consider(OwnedOrder order, bool as_planned);
  bool keep_room(OwnedOrder& order) const;
  bool fits(const OwnedOrder& order, Seconds step);
  void keep(OwnedOrder order, Seconds step);
  OwnedOrder scattered();
  void begin_again();
  OwnedOrder changed();
  bool knows_sizes() const;
  PassSequences relisted();
  TimedOrder timed();
  std::vector<std::uint32_t> waits_for_ranks(std::uint32_t lane) const;
  std::vector<Place> critical_places();
  void move_pass(PassSequences& sequences);
  void exchange_microbatches(PassSequences& sequences);
  OwnedOrder moved_encode();
  std::uint32_t below(std::size_t count);

  const Derived& derived() const { return current_.step->derived(); }
  const Event& event_of(std::uint32_t pass) const { return derived().order.event(EventId(pass)); }

  const std::vector<OwnedOrder> starts_;
  const WithOwners with_owners_;
  const Fits fits_;
  const std::vector<ListRule> rules_;
  const std::uint64_t stale_;  // tries without a better order after which the search begins again
  RandomStream random_;
  std::uint64_t tries_ = 0, improved_at_ = 0;
  OwnedOrder best_, current_;
  bool current_keeps_room_ = false;
  double room_ = 1;  // the share of ranks' room that orders are made for
  Seconds best_step_ = kNone, current_step_ = kNone;
  SequencedStep current_ends_, tried_ends_;
  std::vector<Seconds> history_;
};

}  // namespace spillway
