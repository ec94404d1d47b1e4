// The passes of a step under one choice of owners, with their times on the searched draws.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "optimize/ordered_draws.h"
#include "synthesize/pass_needs.h"

namespace spillway {

// The lanes of `durations` are the replicas of the first draw, then those of the second, and so on.
class PricedStep {
 public:
  // `models` returns those of the draws. `limit`: of the memory of each device, under which orders are made.
  // Contract: that of PassGraph; at least one pass and draw.
  PricedStep(Derived derived, const std::function<CostModels(const Derived&)>& models,
             std::optional<Bytes> limit = {});
  // The same draws with other owners. Models price an event by its stages and ranks, so those of `like` price
  // this step, too.
  PricedStep(Derived derived, std::shared_ptr<const PricedStep> like);
  PricedStep(const PricedStep&) = delete;
  PricedStep& operator=(const PricedStep&) = delete;

  const Derived& derived() const { return derived_; }
  const CostModels& models() const { return like_ ? like_->models() : models_; }
  const Durations& durations() const { return durations_; }
  const PassGraph& graph() const { return graph_; }
  const PassNeeds& needs() const { return needs_; }
  std::uint32_t replicas() const { return derived_.pipeline.replicas; }

  // The number of a pass; kNoPass if the step has no such pass.
  std::uint32_t pass_of(const Event& event) const;

 private:
  const Derived derived_;
  const std::shared_ptr<const PricedStep> like_;  // whose models price this step; null: its own do
  const CostModels models_;
  const std::optional<Bytes> limit_;
  const Durations durations_;
  const PassGraph graph_;
  const PassNeeds needs_;
  const std::map<Event, std::uint32_t> passes_;
};

// Memory is walked on this many of the searched draws, the first ones.
inline constexpr std::size_t kWalked = 2;

// The durations of all draws, as lanes side by side.
Durations lanes_of(const Derived& derived, const CostModels& models);

// An order of all passes: owners, and the sequence of each rank.
struct OwnedOrder {
  std::shared_ptr<const PricedStep> step;
  PassSequences sequences;
};

}  // namespace spillway
