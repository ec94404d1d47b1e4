// Less bandwidth, more latency, a lower peak or longer passes make no step with the same order of events
// shorter.
//
// This is a theorem if the order is the same: the longest path through a graph grows with each of its
// durations, and each of these is priced by a formula that grows. It does not hold if the order is made from
// the prices, as owner maps, splits and planned skeletons are: Graham's anomalies of list scheduling are
// examples. So schedules whose order another price changes are left out. Passes that hide encodes in their
// communication (optimus) are left out: more communication hides more. SimGrid is left out: its flows that
// share a link leave it in another order.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "documents.h"
#include "law_list.h"

namespace spillway::testing {
namespace {

// Returns the document without fits, which would make up for the change, and without planning, which hides
// behind the step.
Json bare(const Case& one) {
  Json document = Json::parse(one.job().document);
  document.erase("fit");
  for (Json& schedule : document["schedules"]) schedule.erase("planning_ms");
  return document;
}

// Sets a number of the platform in the part of the document that states it.
void set(Json& document, const std::string& pointer, double value) {
  const Json figure = {{"value", value}, {"kind", "assumed"}, {"source", "slower"}};
  if (document["platform"].is_object())
    document["platform"][Json::json_pointer(pointer)] = figure;
  else
    document["platform_set"][pointer] = figure;
}

void slow_links(Json& document) {
  const double speed = document.contains("what_if") ? document["what_if"].value("link_speed", 1.0) : 1.0;
  document["what_if"]["link_speed"] = 0.5 * speed;
}

void slow_passes(Json& document) {
  for (Json& block : document["model"]["blocks"])
    for (const char* pass : {"forward_ms", "input_gradient_ms", "weight_gradient_ms"})
      block["profile"][pass] = 1.25 * block["profile"][pass].get<double>();
  for (Json& block : document["model"]["blocks"])
    if (block["profile"].contains("fused_forward_backward_ms"))
      block["profile"]["fused_forward_backward_ms"] =
          1.25 * block["profile"]["fused_forward_backward_ms"].get<double>();
}

// Lowers every peak: products in FP8 or FP4 without a table are priced as BF16's by the ratio of the peaks.
void lower_peaks(Json& document, const Accelerator& accelerator) {
  set(document, "/accelerator/bf16_tflops", accelerator.peak.value.value() / 2e12);
  if (accelerator.fp8_peak)
    set(document, "/accelerator/fp8_tflops", accelerator.fp8_peak->value.value() / 2e12);
  if (accelerator.fp4_peak)
    set(document, "/accelerator/fp4_tflops", accelerator.fp4_peak->value.value() / 2e12);
}

void slow_part(Json& document, const Platform& platform, std::uint64_t number) {
  const std::size_t tier = number % platform.tiers.size();
  const std::string at = "/tiers/" + std::to_string(tier);
  switch (number % 4) {
    case 0:
      return set(document, at + "/bandwidth_gbps", platform.tiers[tier].bandwidth.value.value() / 2e9);
    case 1:
      return set(document, at + "/latency_us", platform.tiers[tier].latency.value.value() * 2e6);
    case 2:
      return lower_peaks(document, platform.accelerator);
    default:
      return set(document, "/accelerator/memory_bandwidth_gbps",
                 platform.accelerator.memory_bandwidth.value.value() / 2e9);
  }
}

// A statement of the platform is also of what passes were measured on. A what-if is not.
Json slower(const Case& one) {
  Json document = bare(one);
  const std::uint64_t number = one.job().number / 3;  // every third job has a platform
  if (number % 3 == 0 || document.contains("measured"))
    slow_links(document);
  else if (one.is_given())
    slow_passes(document);
  else
    slow_part(document, std::get<AnalyticExperiment>(one.experiment().costs).costs.platform, number / 3);
  return document;
}

auto fields_of(const Event& event) {
  return std::tuple(event.kind, event.comm, event.group, event.stage, event.peer_stage, event.rank,
                    event.peer_rank, event.microbatch, event.peer_microbatch, event.joined_replicas);
}

bool same_events(const Order& a, const Order& b) {
  if (a.event_count() != b.event_count() || a.edge_count() != b.edge_count()) return false;
  for (std::uint32_t id = 0; id < a.event_count(); ++id)
    if (fields_of(a.event(EventId(id))) != fields_of(b.event(EventId(id))) ||
        !std::ranges::equal(a.predecessors(EventId(id)), b.predecessors(EventId(id))))
      return false;
  return true;
}

// Returns whether both first draws run the same events, on the same ranks, in the same order.
bool same_order(const ScheduleResult& a, const ScheduleResult& b) {
  const auto same_layers = [](const Stage& one, const Stage& other) { return one.layers == other.layers; };
  return a.derived->hidden.empty() && b.derived->hidden.empty() && a.first.sampled_as == b.first.sampled_as &&
         a.derived->modules == b.derived->modules && a.derived->pipeline.ranks == b.derived->pipeline.ranks &&
         std::ranges::equal(a.derived->stages, b.derived->stages, same_layers) &&
         same_events(a.derived->order, b.derived->order);
}

Seconds longest_path(const ScheduleResult& schedule) {
  return *schedule.draws.front().makespans[Engine::LongestPath];
}

}  // namespace

Verdict slower_is_never_faster(const Case& one) {
  const Engines engines{.run = {Engine::LongestPath}};
  const Evaluation fast = evaluate(experiment_of(bare(one).dump()), engines);
  const Evaluation slow = evaluate(experiment_of(slower(one).dump()), engines);
  bool said = false;
  for (std::size_t s = 0; s < fast.schedules.size(); ++s) {
    if (!same_order(fast.schedules[s], slow.schedules[s])) continue;
    said = true;
    const Seconds before = longest_path(fast.schedules[s]), after = longest_path(slow.schedules[s]);
    if (after < before && !equal(before, after))
      return broken(fast.schedules[s].name + ": " + text(after) + " for " + text(before));
  }
  return said ? kHolds : kSaysNothing;
}

}  // namespace spillway::testing
