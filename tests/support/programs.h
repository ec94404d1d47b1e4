// Programs for tests: lowered from derivations, as text, and with the actions of a rank changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "program/lower.h"
#include "program/read_program.h"
#include "report/order/program_json.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"

namespace spillway::testing {

inline Program lowered(const Derived& derived, const GivenCosts& costs) {
  const GivenCostModel model(costs, derived);
  const Prices prices = price(derived, model);
  Program program = lower(derived, model, prices);
  program.experiment = "an experiment";
  program.schedule = "a schedule";
  LiveEnds ends;
  for (const Seconds makespan :
       LongestPath(derived.order).makespans(prices.durations, derived.pipeline.replicas, ends))
    program.makespan = std::max(program.makespan, makespan);
  return program;
}

// Derivations that are no programs are drawn again.
inline Program lowered(const RandomDerivation& random) {
  const Derived derived = random.derived();
  RC_PRE(check_lower(derived).empty());
  return lowered(derived, random.costs);
}

// A pipeline of one block whose layers take 1, 1 and 1 s.
inline Program lowered(const std::string& schedule, std::uint32_t ranks, std::uint32_t microbatches) {
  return lowered(uniform(schedule, ranks, microbatches), uniform_costs(1, 1, 1));
}

inline std::string text_of(const Program& program) {
  std::ostringstream out;
  write_program(out, program);
  return out.str();
}

inline Program program_from(const std::string& text) {
  return read_program(Source("program.json", text));
}

}  // namespace spillway::testing
