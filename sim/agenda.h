// The replay's clock and its agenda, the entries that are due later. Dates are seconds from the start of the
// run. The clock shows the date of the entry that was taken last.
//
// At equal dates, flows end before computing and delays end, and all of these come before flows start. So a
// flow that starts when another ends on the same link does not meet it. Otherwise entries of equal dates are
// taken in the order they were added.
//
// Idea: events of equal length end in the order in which they start. So dates form a few rows that are
// already ascending, one for each length of an event in the step. An entry is appended to the row whose last
// date is the latest one not after it. The next entry is at the front of a row. Only an entry that fits no
// row goes into a heap, whose operations cost more with each waiting entry and miss the cache. Test:
// tests/sim/dates_in_turn_test.cpp, against a sorted list.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Identifies an activity. The caller that starts an activity chooses its token.
using Token = std::uint32_t;

class Agenda {
 public:
  enum class What : std::uint8_t { FlowsEnd, WaitEnds, EventEnds, FlowsStart };

  struct Entry {
    Seconds date;
    std::uint64_t turn;
    What what;
    Token token;
  };

  Seconds now() const { return now_; }
  bool empty() const { return waiting_ == 0; }
  // Contract: not empty.
  Seconds next() const { return first().date; }

  // Contract: `date` is not before now.
  void add(Seconds date, What what, Token token);
  // Removes the next entry and sets the clock to its date. Contract: not empty.
  Entry take();
  // Advances the clock to a date at which something ends that the agenda does not hold. Never moves it back.
  void reach(Seconds date);

 private:
  static constexpr std::size_t kRows = 8;

  const Entry& first() const;

  Seconds now_;
  std::uint64_t turns_ = 0;
  std::size_t waiting_ = 0;
  std::array<std::deque<Entry>, kRows> rows_;  // each in ascending order
  std::vector<Entry> heap_;
};

}  // namespace spillway
