#include "synthesize/priced_step.h"

#include <map>
#include <utility>

namespace spillway {

namespace {

std::map<Event, std::uint32_t> passes_of(const Derived& derived, const PassNeeds& needs) {
  std::map<Event, std::uint32_t> passes;
  for (const std::uint32_t pass : needs.event) passes.emplace(derived.order.event(EventId(pass)), pass);
  return passes;
}

}  // namespace

PricedStep::PricedStep(Derived derived, const std::function<CostModels(const Derived&)>& models)
    : derived_(std::move(derived)),
      models_(models(derived_)),
      durations_(lanes_of(derived_, models_)),
      graph_(derived_),
      needs_(pass_needs(graph_, durations_)),
      passes_(passes_of(derived_, needs_)) {}

PricedStep::PricedStep(Derived derived, std::shared_ptr<const PricedStep> like)
    : derived_(std::move(derived)),
      like_(std::move(like)),
      durations_(lanes_of(derived_, like_->models())),
      graph_(derived_),
      needs_(pass_needs(graph_, durations_)),
      passes_(passes_of(derived_, needs_)) {}

std::uint32_t PricedStep::pass_of(const Event& event) const {
  const auto known = passes_.find(event);
  return known == passes_.end() ? kNoPass : known->second;
}

Durations lanes_of(const Derived& derived, const CostModels& models) {
  const std::uint32_t replicas = derived.pipeline.replicas;
  Durations all(derived.order.event_count(), replicas * static_cast<std::uint32_t>(models.size()));
  for (std::uint32_t draw = 0; draw < models.size(); ++draw) {
    const Durations one = price(derived, *models[draw]).durations;
    for (std::uint32_t event = 0; event < one.events(); ++event)
      for (std::uint32_t lane = 0; lane < replicas; ++lane)
        all.at(EventId(event), draw * replicas + lane) = one.at(EventId(event), lane);
  }
  return all;
}

}  // namespace spillway
