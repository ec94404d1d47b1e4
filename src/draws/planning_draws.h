// The planning draws: plans are made from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// The numbers of the draws that a plan may see. A list of draws does not convert to this type. No result is
// judged on these draws, with two exceptions: all draws are equal, or a plan is asked for from the sizes of a
// draw itself.
class PlanningDraws {
 public:
  static constexpr std::uint32_t kFirst = 1u << 31;

  static PlanningDraws expected(const Experiment& experiment);
  // For "owner_from": "draw".
  static PlanningDraws of_its_own(std::uint32_t judged) { return PlanningDraws({judged}); }

  std::span<const std::uint32_t> numbers() const& { return numbers_; }
  void numbers() const&& = delete;  // the span would outlive the numbers

 private:
  explicit PlanningDraws(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}

  std::vector<std::uint32_t> numbers_;
};

}  // namespace spillway
