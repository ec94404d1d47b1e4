// Reads a cluster as an experiment on one device of it. So the readers of experiments report what is wrong
// with it.
#include "search/cluster_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/place.h"
#include "search/layout.h"
#include "search/reliability_reader.h"
#include "search/stage_passes.h"

namespace spillway {
namespace {

// Each number is `factor` times the one before.
std::optional<std::vector<std::uint32_t>> read_device_range(const Place& place) {
  const Fields fields(place, {"from", "to", "factor"});
  const auto read = count_from(1, kMostDevices);
  const auto from = fields.need("from", read), to = fields.need("to", read);
  const auto factor =
      fields.at("factor") ? fields.get("factor", count_from(2, kMostDevices)) : std::optional(2U);
  if (!from || !to || !factor) return std::nullopt;
  if (*from > *to) {
    place.refuse("a from that is at most to");
    return std::nullopt;
  }
  std::vector<std::uint32_t> devices;
  for (std::uint64_t count = *from; count <= *to; count *= *factor)
    devices.push_back(static_cast<std::uint32_t>(count));
  return devices;
}

std::optional<std::vector<std::uint32_t>> read_devices(const Place& place) {
  if (std::holds_alternative<Object>(place.node->value)) return read_device_range(place);
  auto devices = some(count_from(1, kMostDevices))(place);
  if (devices) {
    std::ranges::sort(*devices);
    devices->erase(std::unique(devices->begin(), devices->end()), devices->end());
  }
  return devices;
}

// Writes a cluster's keys as an experiment has them.
Object cluster_document(const Object& cluster) {
  Object document;
  for (const char* key : {"platform", "framework", "framework_set"})
    if (const Node* value = find(cluster, key)) document.push_back({key, *value});
  Object changes;
  if (const Node* set = find(cluster, "platform_set"))
    if (const auto* object = std::get_if<Object>(&set->value)) changes = *object;
  if (const Node* price = find(cluster, "price_per_device_hour_usd"))
    changes.push_back({"/price_per_device_hour_usd",
                       {Object{{"value", *price},
                               {"kind", {std::string("assumed")}},
                               {"source", {std::string("the job that was planned")}}}}});
  if (!changes.empty()) document.push_back({"platform_set", {changes}});
  if (const Node* limit = find(cluster, "memory_limit_gb"))
    document.push_back({"memory", {Object{{"limit_gb", *limit}}}});
  return document;
}

// Moves a violation of an experiment to the place in the job that causes it.
Violation of_the_job(Violation violation, const std::string& path, const std::string& cluster) {
  if (violation.file != path) return violation;
  if (violation.pointer.starts_with("/platform_set/~1price_per_device_hour_usd")) {
    violation.pointer = cluster + "/price_per_device_hour_usd";
    return violation;
  }
  for (const std::string at_cluster : {"/platform_set", "/platform", "/framework_set", "/framework"})
    if (violation.pointer.starts_with(at_cluster)) {
      violation.pointer = cluster + violation.pointer;
      return violation;
    }
  if (violation.pointer.starts_with("/memory")) violation.pointer = cluster + "/memory_limit_gb";
  return violation;
}

// One device of the cluster, with the smallest possible step.
constexpr PlanLayout kOneDevice{.cluster = 0,
                                .devices = 1,
                                .ranks = 1,
                                .tensor = 1,
                                .context = 1,
                                .expert = 1,
                                .replicas = 1,
                                .microbatches = 1,
                                .microbatch = 1,
                                .recompute = Recompute::None,
                                .data = DataParallel::Plain,
                                .schedule = 0};

std::optional<Experiment> read_base(const Place& place, const Object& job, const Object& cluster) {
  const ScheduleChoice plain{
      .text = "1f1b", .schedule = {{SkeletonKind::OneFOneB}}, .split = StageSplit::ByCount, .name = "1f1b"};
  const Node document = experiment_document(job, cluster, kOneDevice, plain);
  Findings findings(place.findings->file());
  auto base = read_experiment(Place{&document, "", &findings, place.files});
  for (const Violation& violation : findings.all()) {
    const Violation located = of_the_job(violation, findings.file(), place.pointer);
    if (!place.findings->has(located)) place.findings->add(std::vector{located});
  }
  if (!findings.empty() || !base) return std::nullopt;
  base->idle_keys.clear();  // idle on one device only: other layouts may use them
  return base;
}

// Refuses a number of devices that the platform does not have.
void check_devices(const Place& place, const JobCluster& cluster) {
  const std::uint32_t there = cluster.platform().device_count();
  if (cluster.devices.empty() || cluster.devices.back() <= there) return;
  place.findings->add(child(place.pointer, "devices"),
                      "at most the " + std::to_string(there) + " devices of " + cluster.platform().name,
                      std::to_string(cluster.devices.back()));
}

// Refuses checkpoints that begin before the last one is written.
void check_checkpoints(const Place& place, const JobCluster& cluster) {
  const auto& stated = cluster.reliability;
  if (!stated || stated->blocks || !stated->interval) return;
  const Seconds write = checkpoint_bytes(cluster.base) / stated->write;
  if (*stated->interval + stated->stall >= write) return;
  place.findings->add(
      place.pointer + "/reliability/checkpoint/interval_minutes",
      fmt::format("at least the {:.4g} min in which a checkpoint is written", write.value() / 60),
      fmt::format("{:.4g}", stated->interval->value() / 60));
}

}  // namespace

std::optional<JobCluster> read_cluster(const Place& place, const std::optional<Object>& job) {
  const Fields fields(place, {"platform", "platform_set", "framework", "framework_set", "devices",
                              "price_per_device_hour_usd", "memory_limit_gb", "reliability"});
  fields.require("platform");
  auto devices = fields.need("devices", read_devices);
  fields.get("price_per_device_hour_usd", [](const Place& p) { return read_number(p, kPositive); });
  fields.get("memory_limit_gb", [](const Place& p) { return read_number(p, kPositive); });
  auto reliability = fields.get("reliability", read_reliability);
  const auto* object = std::get_if<Object>(&place.node->value);
  if (!object || !job) return std::nullopt;
  Object document = cluster_document(*object);
  auto base = read_base(place, *job, document);
  if (!base || !devices) return std::nullopt;
  JobCluster cluster{*std::move(devices), std::move(document), *std::move(base), std::move(reliability)};
  check_devices(place, cluster);
  check_checkpoints(place, cluster);
  return cluster;
}

}  // namespace spillway
