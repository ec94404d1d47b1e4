// Idea: changes that are each made alone do not add up, and one alone may close nothing of the gap. So they
// are made one after another, and what each of them gains adds up to the gap. Their order matters. It is
// greedy: the first is the change that gains most by itself. A change that gains only with a later one comes
// late, and so does sharding that makes room, with its cost. The mean over all orders would be a fairer share
// of what changes gain together, but takes 2^n evaluations, and its rows are no layouts.
//
//   P=2 TP=1 zero1 -> P=1 TP=2 zero3:  TP 2 (R 2)    -12 %
//                                      P 1 (R 4)      -9 %
//                                      data zero3     +1 %
//
// If no single change can be evaluated, since each breaks a rule without another, the smallest number of them
// that can be is made in one step.
//
// Cost: a step tries at most as many layouts as changes are left, so n changes n + ... + 1 evaluations, less
// those that are known already. Test: tests/ask/way_test.cpp.
#include "ask/way.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// More steps than a layout has values: a way that does not end would be a fault.
constexpr std::size_t kMostSteps = 16;

// A schedule with stages that were stated is changed into the same one with planned stages, or into another.
bool is_same_key(const std::string& one, const std::string& other) {
  const auto is_schedule = [](const std::string& key) { return key == "schedule" || key == "stages"; };
  return one == other || (is_schedule(one) && is_schedule(other));
}

class Way {
 public:
  Way(LayoutTrials& trials, const PlanJob& job, const PlanLayout& from, const PlanLayout& to,
      std::size_t planned)
      : trials_(trials),
        job_(job),
        to_(to),
        stated_(from.schedule),
        planned_(planned),
        at_(from),
        value_(trials(from).value) {}

  std::vector<WayStep> steps() {
    std::vector<WayStep> all;
    while (std::optional<WayStep> next = best_next()) {
      at_ = next->trial.layout;
      value_ = next->trial.value;
      all.push_back(*std::move(next));
      ensure(all.size() < kMostSteps, "a way ends");
    }
    return all;
  }

 private:
  std::vector<LayoutChange> left(const PlanLayout& layout) const {
    return changes_towards(job_, layout, to_, layout.schedule == stated_ ? planned_ : layout.schedule);
  }

  // Returns the fewest changes that can be made, and of these the ones with the best result. Returns nothing
  // if no change is left.
  std::optional<WayStep> best_next() {
    const std::vector<LayoutChange> singles = left(at_);
    for (std::size_t together = 1; together <= singles.size(); ++together)
      if (std::optional<WayStep> best = best_of(singles, together)) return best;
    return std::nullopt;
  }

  std::optional<WayStep> best_of(const std::vector<LayoutChange>& singles, std::size_t together) {
    std::optional<WayStep> best;
    std::size_t tried = 0;
    for (std::uint32_t chosen = 1; chosen < 1U << singles.size() && tried < singles.size(); ++chosen) {
      if (static_cast<std::size_t>(std::popcount(chosen)) != together) continue;
      std::vector<LayoutChange> changes = made(singles, chosen);
      if (changes.size() != together || !broken_rules(job_, changes.back().layout).empty()) continue;
      const LayoutTrial trial = trials_(changes.back());
      ++tried;
      if (trial.is_known() && (!best || trial.value < best->trial.value))
        best = WayStep{std::move(changes), trial, value_ - trial.value};
    }
    return best;
  }

  // Makes the chosen changes one after another. One that an earlier one has made already is left out.
  std::vector<LayoutChange> made(const std::vector<LayoutChange>& singles, std::uint32_t chosen) const {
    std::vector<LayoutChange> changes;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      const std::vector<LayoutChange> next = changes.empty() ? singles : left(changes.back().layout);
      const auto one = std::ranges::find_if(
          next, [&](const LayoutChange& change) { return is_same_key(change.key, singles[i].key); });
      if (one != next.end()) changes.push_back(*one);
    }
    return changes;
  }

  LayoutTrials& trials_;
  const PlanJob& job_;
  const PlanLayout& to_;
  const std::size_t stated_, planned_;
  PlanLayout at_;
  double value_;  // there
};

}  // namespace

std::vector<WayStep> way_towards(LayoutTrials& trials, const PlanJob& job, const PlanLayout& from,
                                 const PlanLayout& to, std::size_t planned) {
  return Way(trials, job, from, to, planned).steps();
}

}  // namespace spillway
