#include "synthesize/priced_step.h"

#include <algorithm>
#include <map>
#include <utility>

#include "memory/room_of_passes.h"

namespace spillway {

namespace {

std::map<Event, std::uint32_t> passes_of(const Derived& derived, const PassNeeds& needs) {
  std::map<Event, std::uint32_t> passes;
  for (const std::uint32_t pass : needs.event) passes.emplace(derived.order.event(EventId(pass)), pass);
  return passes;
}

PassNeeds limited_needs(const PassGraph& graph, const Durations& durations, const CostModels& models,
                        std::optional<Bytes> limit) {
  PassNeeds needs = pass_needs(graph, durations);
  if (!limit) return needs;
  std::vector<const Footprints*> walked;
  for (std::size_t draw = 0; draw < std::min(kWalked, models.size()); ++draw)
    walked.push_back(models[draw].get());
  needs.room = room_of_passes(graph.derived(), needs.event, walked, *limit);
  return needs;
}

}  // namespace

PricedStep::PricedStep(Derived derived, const std::function<CostModels(const Derived&)>& models,
                       std::optional<Bytes> limit)
    : derived_(std::move(derived)),
      models_(models(derived_)),
      limit_(limit),
      durations_(lanes_of(derived_, models_)),
      graph_(derived_),
      needs_(limited_needs(graph_, durations_, models_, limit_)),
      passes_(passes_of(derived_, needs_)) {}

PricedStep::PricedStep(Derived derived, std::shared_ptr<const PricedStep> like)
    : derived_(std::move(derived)),
      like_(std::move(like)),
      limit_(like_->limit_),
      durations_(lanes_of(derived_, like_->models())),
      graph_(derived_),
      needs_(limited_needs(graph_, durations_, like_->models(), limit_)),
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
