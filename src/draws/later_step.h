// The what-if of time between steps: the end of every step takes longer.
#pragma once

#include <memory>
#include <utility>

#include "cost/costs_over.h"

namespace spillway {

class LaterStep final : public CostsOver {
 public:
  LaterStep(std::unique_ptr<CostModel> on_time, Seconds between) : CostsOver(std::move(on_time)) {
    if (const StepEnd* known = under().step_end()) end_ = *known;
    end_.between += between;
  }

  const StepEnd* step_end() const override { return &end_; }

 private:
  StepEnd end_ = {};
};

}  // namespace spillway
