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

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Identifies an activity. The caller that starts an activity chooses its token.
using ActivityToken = std::uint32_t;

class Agenda {
 public:
  enum class What : std::uint8_t { FlowsEnd, WaitEnds, EventEnds, FlowsStart };

  struct Entry {
    Seconds date;
    std::uint64_t turn;
    What what;
    ActivityToken token;
  };

  Seconds now() const { return now_; }
  bool empty() const { return waiting_ == 0; }
  // Contract: not empty.
  Seconds next() const { return first().date; }

  // Contract: `date` is not before now.
  void add(Seconds date, What what, ActivityToken token);
  // Removes the next entry and sets the clock to its date. Contract: not empty.
  Entry take();
  // Advances the clock to a date at which something ends that the agenda does not hold. Never moves it back.
  void reach(Seconds date);

 private:
  static constexpr std::size_t kRows = 8;

  static bool later(const Entry& a, const Entry& b) {
    if (a.date != b.date) return a.date > b.date;
    return a.what != b.what ? a.what > b.what : a.turn > b.turn;
  }
  const Entry& first() const;

  Seconds now_;
  std::uint64_t turns_ = 0;
  std::size_t waiting_ = 0;
  std::array<std::deque<Entry>, kRows> rows_;  // each in ascending order
  std::vector<Entry> heap_;
};

inline void Agenda::add(Seconds date, What what, ActivityToken token) {
  const Entry entry{date, turns_++, what, token};
  ++waiting_;
  std::deque<Entry>* best = nullptr;
  for (std::deque<Entry>& row : rows_) {
    if (!row.empty() && later(row.back(), entry)) continue;
    if (best == nullptr || best->empty() || (!row.empty() && later(row.back(), best->back()))) best = &row;
  }
  if (best != nullptr) return best->push_back(entry);
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

inline const Agenda::Entry& Agenda::first() const {
  const Entry* first = heap_.empty() ? nullptr : &heap_.front();
  for (const std::deque<Entry>& row : rows_)
    if (!row.empty() && (first == nullptr || later(*first, row.front()))) first = &row.front();
  return *first;
}

inline Agenda::Entry Agenda::take() {
  const Entry entry = first();
  --waiting_;
  const auto has = [&](const std::deque<Entry>& row) {
    return !row.empty() && row.front().turn == entry.turn;
  };
  if (const auto row = std::find_if(rows_.begin(), rows_.end(), has); row != rows_.end()) {
    row->pop_front();
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
  reach(entry.date);
  return entry;
}

inline void Agenda::reach(Seconds date) {
  now_ = std::max(now_, date);
}

}  // namespace spillway
