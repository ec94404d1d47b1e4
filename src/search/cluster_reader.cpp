// Reads a cluster as an experiment on one device of it, once for each of its frameworks. So the readers of
// experiments report what is wrong with it.
#include "search/cluster_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "experiment/encoder_images.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/place.h"
#include "launch/software/software.h"
#include "search/layout.h"
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

// Writes a cluster's keys as an experiment without a framework has them, the platform first.
Object cluster_document(const Object& cluster) {
  Object document;
  if (const Node* platform = find(cluster, "platform")) document.push_back({"platform", *platform});
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

// Where the job states a cluster, and its framework.
struct ClusterPointers {
  std::string cluster, framework;
};

// Moves a violation of an experiment to the place in the job that causes it.
Violation of_the_job(Violation violation, const std::string& path, const ClusterPointers& at) {
  const auto& [cluster, framework] = at;
  if (violation.file != path) return violation;
  if (violation.pointer == "/framework" || violation.pointer.starts_with("/framework/")) {
    violation.pointer = framework + violation.pointer.substr(std::string_view("/framework").size());
    return violation;
  }
  if (violation.pointer.starts_with("/platform_set/~1price_per_device_hour_usd")) {
    violation.pointer = cluster + "/price_per_device_hour_usd";
    return violation;
  }
  for (const std::string at_cluster : {"/platform_set", "/platform", "/framework_set"})
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

std::optional<Experiment> read_base(const Place& place, const Object& job, const Object& cluster,
                                    const std::string& framework) {
  const ScheduleChoice plain{
      .text = "1f1b", .schedule = {{SkeletonKind::OneFOneB}}, .split = StageSplit::ByCount, .name = "1f1b"};
  const Node document = experiment_document(job, cluster, kOneDevice, plain);
  Findings findings(place.findings->file());
  auto base = read_experiment(Place{&document, "", &findings, place.files});
  for (const Violation& violation : findings.all()) {
    const Violation located = of_the_job(violation, findings.file(), {place.pointer, framework});
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

bool states_parallel(const Object& job, const char* key) {
  const Node* parallel = find(job, "parallel");
  const auto* members = parallel ? std::get_if<Object>(&parallel->value) : nullptr;
  return members && find(*members, key);
}

void dispatch_as_its_software(JobCluster& cluster, const Object& job) {
  AnalyticCosts& costs = *on_platform(cluster.base.costs);
  const auto* model = std::get_if<TextModel>(&costs.blocks.back().architecture);
  if (!costs.framework.dispatch || states_parallel(job, "dispatch") || !model || !model->experts) return;
  cluster.dispatch = costs.framework.dispatch->value;
  costs.parallelism.dispatch = *cluster.dispatch;
}

// Gives the cluster what its software decides about layouts.
void run_as_its_software(JobCluster& cluster, const Object& job) {
  AnalyticCosts& costs = *on_platform(cluster.base.costs);
  dispatch_as_its_software(cluster, job);
  const ShippedSoftware* software = software_named(costs.framework.name);
  if (!software) return;
  cluster.splits = software->splits;
  if (!software->images || states_parallel(job, "images") || !encodes_images(cluster.base)) return;
  cluster.images = software->images;
  costs.parallelism.images = *software->images;
}

// A framework that nothing which it states slows down: what it does not state is ideal already (framework.h).
Node ideal_software() {
  const auto figure = [](std::uint64_t value) {
    return Node{Object{{"value", {value}},
                       {"kind", {std::string("assumed")}},
                       {"source", {std::string("no software does more")}}}};
  };
  return {Object{{"schema", {std::string("spillway/framework/1")}},
                 {"name", {std::string("ideal software")}},
                 {"recompute_stops_early", {true}},
                 {"gradient_bytes", figure(2)},
                 {"gradient_buffer_bytes", figure(2)},
                 {"hidden", {Object{{"gradients", figure(1)}, {"parameters", figure(1)}}}}}};
}

// Makes a cluster of each framework of `plain`, a cluster without one.
class ClusterReader {
 public:
  ClusterReader(const Place& place, const Object& job, JobCluster plain)
      : place_(place), job_(job), plain_(std::move(plain)) {}

  std::optional<std::vector<JobCluster>> run(const StatedFrameworks& stated) {
    if (stated.how == StatedFrameworks::How::None) return std::vector{plain_};
    return stated.how == StatedFrameworks::How::Any ? any() : listed(stated.listed);
  }

 private:
  std::optional<std::vector<JobCluster>> listed(const std::vector<StatedFrameworks::One>& frameworks) {
    for (const StatedFrameworks::One& one : frameworks) add_listed(one);
    return wrong_ ? std::nullopt : std::optional(std::move(all_));
  }

  // An offered framework whose attention the accelerator does not have does not run on it.
  std::optional<std::vector<JobCluster>> any() {
    const OfferedSoftware offered = offered_software(plain_.base);
    say_left_out(offered.lacks);
    for (const ShippedSoftware* one : offered.trains) {
      Findings unsaid(place_.findings->file());
      add({std::string(one->shipped), Node{std::string(one->shipped)}, ""}, unsaid);
    }
    if (all_.empty()) return refuse_without_framework();
    add_bound();
    return std::move(all_);
  }

  void add_listed(const StatedFrameworks::One& one) {
    const AnalyticCosts* costs = add(one, *place_.findings);
    const ShippedSoftware* software = costs ? software_named(costs->framework.name) : nullptr;
    wrong_ |= !costs;
    if (software && !runs_on(*software, plain_.platform()))
      return refuse(one, "a framework that runs on " + plain_.platform().name, describe(one.node));
    if (!costs) return;
    const std::string lacks = lacking_model(costs->framework, plain_.base);
    if (!lacks.empty()) refuse(one, "a framework that trains this model", describe(one.node) + ": " + lacks);
  }

  void refuse(const StatedFrameworks::One& one, const std::string& expected, const std::string& found) {
    place_.findings->add(one.pointer, expected, found);
    wrong_ = true;
  }

  // Kept with the cluster, so that its answer says it.
  void say_left_out(const std::vector<const ShippedSoftware*>& software) {
    for (const ShippedSoftware* one : software) plain_.without_model.emplace_back(one->shipped);
  }

  Object with(const Node& framework) const {
    Object document = plain_.document;
    std::vector<Member> stated = {{"framework", framework}};
    if (const Node* set = find(std::get<Object>(place_.node->value), "framework_set"))
      stated.push_back({"framework_set", *set});
    document.insert(document.begin() + 1, stated.begin(), stated.end());
    return document;
  }

  // Adds the cluster under a framework, or the framework's name to an added one that prices alike. Returns
  // null if it is wrong.
  const AnalyticCosts* add(const StatedFrameworks::One& one, Findings& findings) {
    JobCluster cluster = plain_;
    cluster.framework = one.name;
    cluster.document = with(one.node);
    const Place place{place_.node, place_.pointer, &findings, place_.files};
    auto base = read_base(place, job_, cluster.document, one.pointer);
    if (!base) return nullptr;
    cluster.base = *std::move(base);
    run_as_its_software(cluster, job_);
    for (JobCluster& known : all_)
      if (runs_alike(known, cluster)) {
        known.alike.push_back(one.name);
        return &known.analytic().costs;
      }
    all_.push_back(std::move(cluster));
    return &all_.back().analytic().costs;
  }

  void add_bound() {
    JobCluster cluster = plain_;
    cluster.is_bound = true;
    cluster.document = with(ideal_software());
    if (auto base = read_base(place_, job_, cluster.document, place_.pointer))
      cluster.base = *std::move(base);
    all_.push_back(std::move(cluster));
  }

  static bool runs_alike(const JobCluster& one, const JobCluster& other) {
    return one.images == other.images && one.splits == other.splits && one.dispatch == other.dispatch &&
           splits_alike(one, other) && price_alike(one.analytic().costs, other.analytic().costs);
  }

  static bool splits_alike(const JobCluster& one, const JobCluster& other) {
    const auto& a = one.analytic().costs.framework.stages;
    const auto& b = other.analytic().costs.framework.stages;
    const PlacedStages first = a.value_or(PlacedStages()), second = b.value_or(PlacedStages());
    return first.layers == second.layers &&
           (first.encoder_first == second.encoder_first || !encodes_images(one.base));
  }

  std::optional<std::vector<JobCluster>> refuse_without_framework() const {
    std::vector<std::string> blocks;
    for (const Block& block : plain_.base.model.blocks()) blocks.push_back(block.name);
    place_.findings->add(child(place_.pointer, "frameworks"),
                         "a list of frameworks, or \"none\" to plan without software, since no shipped one "
                         "trains the model of " +
                             joined(blocks) + " on " + plain_.platform().name,
                         "none that runs");
    return std::nullopt;
  }

  const Place& place_;
  const Object& job_;
  JobCluster plain_;
  std::vector<JobCluster> all_ = {};
  bool wrong_ = false;
};

}  // namespace

std::optional<std::vector<JobCluster>> read_cluster(const Place& place, const std::optional<Object>& job) {
  const Fields fields(place, {"platform", "platform_set", "framework", "framework_set", "frameworks",
                              "devices", "price_per_device_hour_usd", "memory_limit_gb", "reliability"});
  fields.require("platform");
  auto devices = fields.need("devices", read_devices);
  fields.get("price_per_device_hour_usd", [](const Place& p) { return read_number(p, kPositive); });
  fields.get("memory_limit_gb", [](const Place& p) { return read_number(p, kPositive); });
  auto reliability = fields.get("reliability", read_reliability);
  const auto frameworks = read_frameworks(fields);
  const auto* object = std::get_if<Object>(&place.node->value);
  if (!object || !job) return std::nullopt;
  Object document = cluster_document(*object);
  auto base = read_base(place, *job, document, "");
  if (!base || !devices || !frameworks) return std::nullopt;
  JobCluster cluster{*std::move(devices), std::move(document), *std::move(base), std::move(reliability)};
  check_devices(place, cluster);
  check_checkpoints(place, cluster);
  return ClusterReader(place, *job, std::move(cluster)).run(*frameworks);
}

}  // namespace spillway
