// RapidCheck's generator of outcomes of a point, of any shape. Their figures are any double except NaN.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/point.h"

namespace spillway::testing {

// Returns any double but NaN, including subnormals, infinities and negative zero.
inline double random_number() {
  const auto number = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  return std::isnan(number) ? 0 : number;
}

inline std::size_t random_count(std::size_t most) {
  return *rc::gen::inRange<std::size_t>(0, most + 1);
}

inline std::vector<StepAccount> random_accounts() {
  StepAccount account{{}, 0, 0, *rc::gen::arbitrary<std::uint32_t>(), FlopsPerSecond(random_number())};
  if (*rc::gen::arbitrary<bool>()) account.price = DollarsPerHour(random_number());
  std::vector<StepAccount> accounts(random_count(5), account);
  for (StepAccount& of_draw : accounts) {
    of_draw.model_flops = Flops(random_number());
    of_draw.tokens = random_number();
    of_draw.useful_tokens = random_number();
  }
  return accounts;
}

inline ScheduleOutcome random_schedule_outcome() {
  std::vector<StepFigures> draws(random_count(5));
  const bool spills = *rc::gen::arbitrary<bool>();
  for (StepFigures& figures : draws) {
    figures = {Seconds(random_number()), random_number()};
    if (spills) figures.spill = {Seconds(random_number()), Seconds(random_number()), random_number()};
  }
  ScheduleOutcome schedule = outcome_of(*rc::gen::arbitrary<std::string>(), draws);
  schedule.replayed.resize(random_count(5));
  for (Seconds& makespan : schedule.replayed) makespan = Seconds(random_number());
  if (*rc::gen::arbitrary<bool>()) schedule.peak_memory = Bytes(random_number());
  if (*rc::gen::arbitrary<bool>())
    schedule.evidence = static_cast<Evidence>(random_count(kEvidenceKinds - 1));
  if (random_count(1)) schedule.unranked = "its rule is not public";
  return schedule;
}

inline PointOutcome random_outcome() {
  PointOutcome outcome{*rc::gen::arbitrary<std::string>()};
  outcome.schedules.resize(random_count(4));
  for (ScheduleOutcome& schedule : outcome.schedules) schedule = random_schedule_outcome();
  if (!outcome.schedules.empty()) outcome.baseline = random_count(outcome.schedules.size() - 1);
  outcome.accounts = random_accounts();
  if (*rc::gen::arbitrary<bool>()) outcome.memory_limit = Bytes(random_number());
  outcome.microbatches = random_count(1000);
  outcome.warnings.resize(random_count(3));
  for (Warning& warning : outcome.warnings)
    warning = {*rc::gen::arbitrary<std::string>(), *rc::gen::arbitrary<std::string>()};
  return outcome;
}

}  // namespace spillway::testing
