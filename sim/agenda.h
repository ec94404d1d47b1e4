// The replay's own clock, and what is due when. Dates are seconds from the start of the run; the clock stands
// at the date of what was taken last.
//
// At one date, flows end before computing and delays do, and these before flows start: what follows another
// on a link does not meet it. Apart from that, first come, first served.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// What an activity is known by: whoever starts one chooses.
using Token = std::uint32_t;

class Agenda {
 public:
  enum class What : std::uint8_t { FlowsEnd, WaitEnds, FlowsStart };

  struct Entry {
    Seconds date;
    std::uint64_t turn;
    What what;
    Token token;
  };

  Seconds now() const { return now_; }
  bool empty() const { return entries_.empty(); }
  // Contract: not empty.
  Seconds next() const { return entries_.front().date; }

  // Contract: not before now.
  void add(Seconds date, What what, Token token);
  // What is next, its date being now from there on. Contract: not empty.
  Entry take();
  // Moves the clock to a date at which something ends that is not kept here; never back.
  void reach(Seconds date);

 private:
  Seconds now_;
  std::uint64_t turns_ = 0;
  std::vector<Entry> entries_;  // a heap
};

}  // namespace spillway
