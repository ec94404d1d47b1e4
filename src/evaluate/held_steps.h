// The predicted step of each schedule of an experiment, held against a measured one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "evaluate/evaluation.h"

namespace spillway {

struct HeldStep {
  std::string schedule;
  Seconds predicted;                     // the mean makespan over the draws
  std::optional<StepInterval> interval;  // empty if durations are given, or there is no platform
  Seconds measured;

  double error() const { return predicted / measured - 1; }
  // Returns true if the interval contains the measured step. Empty without one.
  std::optional<bool> holds() const {
    if (!interval) return std::nullopt;
    return interval->holds(measured, predicted);
  }
};

// Contract: each schedule has a draw, and `measured` is above 0.
std::vector<HeldStep> held_steps(const Evaluation& evaluation, Seconds measured);

}  // namespace spillway
