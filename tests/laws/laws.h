// What holds of every experiment, whatever it is: one line of a table each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "job.h"

namespace spillway::testing {

// A job with what several laws ask of it, computed once.
class Case {
 public:
  explicit Case(Job job) : job_(std::move(job)) {}

  const Job& job() const { return job_; }
  const Experiment& experiment() const { return job_.experiment; }
  bool is_given() const { return std::holds_alternative<GivenCosts>(job_.experiment.costs); }

  // By all three engines.
  const Evaluation& evaluation() const;
  // As a point of a sweep.
  const PointOutcome& outcome() const;

 private:
  Job job_;
  mutable std::optional<Evaluation> evaluation_;
  mutable std::optional<PointOutcome> outcome_;
};

// As a point of a sweep, from nothing that was kept.
PointOutcome outcome_of(const Experiment& experiment);

enum class Ruling { Holds, SaysNothing, Broken };

struct Verdict {
  Ruling ruling;
  std::string what = {};  // where it is broken
};

inline const Verdict kHolds{Ruling::Holds};
inline const Verdict kSaysNothing{Ruling::SaysNothing};
inline Verdict broken(std::string what) {
  return {Ruling::Broken, std::move(what)};
}

// To rounding where sums were made in another order.
bool equal(Seconds a, Seconds b);
// "0.125 s"
std::string text(Seconds time);
// Broken where a draw of any schedule does not take `times` as long as the first's. `exactly`: to the bit.
enum class Held { Exactly, ToRounding };
Verdict same_makespans(const PointOutcome& first, const PointOutcome& second, Held held, double times = 1);

struct Law {
  std::string_view name;
  std::string_view statement;
  Verdict (*check)(const Case&);
};

std::span<const Law> laws();

}  // namespace spillway::testing
