// The agenda against a list that is searched for its earliest entry each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "sim/flows/agenda.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

struct Due {
  double date;
  int what;
  ActivityToken token;  // numbered in the order of adding

  auto key() const { return std::tuple(date, what, token); }
};

Due taken_first(std::vector<Due>& sorted) {
  const auto first = std::min_element(sorted.begin(), sorted.end(),
                                      [](const Due& a, const Due& b) { return a.key() < b.key(); });
  const Due due = *first;
  sorted.erase(first);
  return due;
}

// Entries have few different lengths, like a pipeline's events, or more than there are entries; some are 0.
RC_GTEST_PROP(Agenda, TakesWhatIsNext, ()) {
  const int lengths = *rc::gen::element(1, 3, 12, 1000);
  Agenda agenda;
  std::vector<Due> sorted;
  for (ActivityToken token = 0; token < 300; ++token) {
    const int what = *rc::gen::inRange(0, 3);
    const double date = agenda.now().value() + 0.1 * *rc::gen::inRange(0, lengths);
    agenda.add(Seconds(date), static_cast<Agenda::What>(what), token);
    sorted.push_back({date, what, token});
    for (int taken = *rc::gen::inRange(0, 3); taken > 0 && !sorted.empty(); --taken) {
      const Due due = taken_first(sorted);
      RC_ASSERT(agenda.next() == Seconds(due.date));
      RC_ASSERT(agenda.take().token == due.token);
    }
  }
  while (!sorted.empty()) RC_ASSERT(agenda.take().token == taken_first(sorted).token);
  RC_ASSERT(agenda.empty());
}

}  // namespace
}  // namespace spillway::testing
