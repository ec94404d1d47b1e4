// The draws that stand for what is expected: what plans are made from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// No list of draws converts to one, so that what plans sees what is made here alone: draws that no result is
// judged on, unless there is no other (they are all equal) or a plan is asked for from a draw's own sizes.
class PlanningDraws {
 public:
  static constexpr std::uint32_t kFirst = 1u << 31;

  static PlanningDraws expected(const Experiment& experiment);
  // "owner_from": "draw".
  static PlanningDraws of_its_own(std::uint32_t judged) { return PlanningDraws({judged}); }

  std::span<const std::uint32_t> numbers() const& { return numbers_; }
  void numbers() const&& = delete;  // they would be gone before they are read

 private:
  explicit PlanningDraws(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}

  std::vector<std::uint32_t> numbers_;
};

}  // namespace spillway
