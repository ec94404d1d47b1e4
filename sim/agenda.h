// The replay's own clock, and what is due when. Dates are seconds from the start of the run; the clock stands
// at the date of what was taken last.
//
// At one date, flows end before computing and delays do, and all of these before flows start: what follows
// another on a link does not meet it. Apart from that, first come, first served.
//
// The idea: what takes as long as what was added before it is due after it, so that dates come as a few rows
// that ascend by themselves, one for each length that events of the step have. An entry goes to the end of
// the row that ends last before it; what is next stands at the front of a row. Only what fits nowhere goes
// into a heap, whose steps grow with what waits in it and miss the cache. Test:
// tests/sim/dates_in_turn_test.cpp, against a sorted list.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// What an activity is known by: whoever starts one chooses.
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

  // Contract: not before now.
  void add(Seconds date, What what, Token token);
  // What is next, its date being now from there on. Contract: not empty.
  Entry take();
  // Moves the clock to a date at which something ends that is not kept here; never back.
  void reach(Seconds date);

 private:
  static constexpr std::size_t kRows = 8;

  const Entry& first() const;

  Seconds now_;
  std::uint64_t turns_ = 0;
  std::size_t waiting_ = 0;
  std::array<std::deque<Entry>, kRows> rows_;  // each ascends
  std::vector<Entry> heap_;
};

}  // namespace spillway
