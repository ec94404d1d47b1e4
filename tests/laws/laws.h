// Laws that hold for every experiment: one line of a table each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "job.h"

namespace spillway::testing {

// A job with results that several laws need, computed once.
class Case {
 public:
  explicit Case(Job job) : job_(std::move(job)) {}

  const Job& job() const { return job_; }
  const Experiment& experiment() const { return job_.experiment; }
  bool is_given() const { return std::holds_alternative<GivenCosts>(job_.experiment.costs); }

  // Runs all three engines.
  const Evaluation& evaluation() const;
  // Evaluates the job as a point of a sweep.
  const PointOutcome& outcome() const;

 private:
  Job job_;
  mutable std::optional<Evaluation> evaluation_;
  mutable std::optional<PointOutcome> outcome_;
};

// Evaluates the experiment as a point of a sweep, with empty caches.
PointOutcome outcome_of(const Experiment& experiment);

enum class Ruling { Holds, SaysNothing, Broken };

struct Verdict {
  Ruling ruling;
  std::string what = {};  // how it is broken
};

inline const Verdict kHolds{Ruling::Holds};
inline const Verdict kSaysNothing{Ruling::SaysNothing};
inline Verdict broken(std::string what) {
  return {Ruling::Broken, std::move(what)};
}

// Compares up to rounding, for sums made in another order.
bool equal(Seconds a, Seconds b);
// Returns "0.125 s".
std::string text(Seconds time);
// Broken if a draw of any schedule does not take `times` as long as the same draw of the first outcome.
// Exactly means to the bit.
enum class Held { Exactly, ToRounding };
Verdict same_makespans(const PointOutcome& first, const PointOutcome& second, Held held, double times = 1);

struct Law {
  std::string_view name;
  std::string_view statement;
  Verdict (*check)(const Case&);
};

std::span<const Law> laws();

}  // namespace spillway::testing
