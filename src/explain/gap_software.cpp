// Causes that are the software: its name, what it overlaps, pads and captures.
#include <algorithm>
#include <string_view>
#include <utility>

#include "explain/gap_kinds.h"
#include "launch/software/software.h"

namespace spillway {
namespace {

// A framework that states nothing equals none.
constexpr const char* kNothing = R"({"schema":"spillway/framework/1","name":"none"})";

std::string figure(const std::string& value) {
  return R"({"value":)" + value + R"(,"kind":"assumed","source":"explain --measured"})";
}

// Keys of the framework that the experiment names, writes out, or does not have.
class FrameworkKeys {
 public:
  explicit FrameworkKeys(const GapJob& job) : job_(job) {
    const Node* framework = value_at(job.document, "/framework");
    named_ = framework && std::holds_alternative<std::string>(framework->value);
    absent_ = framework == nullptr;
  }

  std::string pointer(const std::string& key) const {
    return named_ ? child("/framework_set", key) : "/framework" + key;
  }

  // `keys` are pointers into the framework, with their values as JSON.
  void add(std::string words, const std::vector<Setting>& keys, GapCauses& causes) const {
    std::vector<Setting> settings;
    if (absent_) settings.push_back({"/framework", kNothing});
    std::string stated;
    for (const auto& [key, value] : keys) {
      settings.push_back({pointer(key), value});
      if (job_.states(pointer(key))) stated = pointer(key);
    }
    causes.push_back({std::move(words), stated, stated.empty() ? kOpenPlausibility : kStatedPlausibility,
                      std::move(settings)});
  }

 private:
  const GapJob& job_;
  bool named_, absent_;
};

std::string_view family(std::string_view shipped) {
  return shipped.substr(0, shipped.find('-'));
}

// Offered software, and all variants of the stated one.
std::vector<const ShippedSoftware*> software_to_try(const GapJob& job, const ShippedSoftware* stated) {
  std::vector<const ShippedSoftware*> all = offered_software(job.experiment).trains;
  for (const ShippedSoftware& one : shipped_software())
    if (stated && family(one.shipped) == family(stated->shipped) && runs_on(one, job.costs()->platform) &&
        std::ranges::find(all, &one) == all.end())
      all.push_back(&one);
  const bool alone = job.experiment.pipeline.ranks == 1 && job.costs()->parallelism.members() == 1;
  std::erase_if(all, [&](const ShippedSoftware* one) { return one == stated || !(one->splits || alone); });
  return all;
}

// What the experiment sets in its framework does not belong to another one.
std::vector<Setting> with_framework(const GapJob& job, const std::string& framework) {
  std::vector<Setting> settings = {{"/framework", framework}};
  if (job.states("/framework_set")) settings.push_back({"/framework_set", "{}"});
  return settings;
}

void add_frameworks(const GapJob& job, GapCauses& causes) {
  const std::string pointer = "/framework", key = job.states(pointer) ? pointer : "";
  const ShippedSoftware* stated = software_named(job.costs()->framework.name);
  if (!key.empty())
    causes.push_back({"ideal software: each operator one kernel, no host, all collectives hidden that can be",
                      key, kStatedPlausibility, with_framework(job, kNothing)});
  for (const ShippedSoftware* one : software_to_try(job, stated)) {
    const bool variant = stated && family(one->shipped) == family(stated->shipped);
    const double plausibility = key.empty() ? kOpenPlausibility
                                : variant   ? kBetweenPlausibility
                                            : kStatedPlausibility;
    causes.push_back({"the software is " + std::string(one->shipped), variant ? "" : key, plausibility,
                      with_framework(job, std::string(one->shipped))});
  }
}

void add_overlap(const GapJob& job, GapCauses& causes) {
  const FrameworkKeys keys(job);
  keys.add("reductions of gradients that overlap nothing",
           {{"/hidden/gradients", figure("0")}, {"/hidden/parameters", figure("0")}}, causes);
  const DataParallel data = job.costs()->parallelism.data;
  if (data == DataParallel::Zero2 || data == DataParallel::Zero3)
    keys.add("collectives of sharded states that overlap nothing", {{"/hidden/data", figure("0")}}, causes);
}

void add_padding(const GapJob& job, GapCauses& causes) {
  const WorkloadSpec& workload = std::get<AnalyticExperiment>(job.experiment.costs).workload;
  const FrameworkKeys keys(job);
  if (workload.packing == Packing::Unpacked) {
    for (const auto& [word, pads] : kPadsTos)
      if (pads != job.costs()->framework.pads_to.value)
        keys.add(pads == PadsTo::None ? "samples not padded"
                                      : "samples padded to the longest of their " + std::string(word),
                 {{"/pads_to", figure('"' + std::string(word) + '"')}}, causes);
    return;
  }
  if (workload.packing != Packing::Packed) return;
  const bool across = job.costs()->framework.attends_across_documents.value;
  keys.add(across ? "attention within each document alone" : "attention across packed documents",
           {{"/attends_across_documents", figure(across ? "false" : "true")}}, causes);
}

// Graphs act on launches, so they need a framework that states these.
void add_graphs(const GapJob& job, GapCauses& causes) {
  const Framework& framework = job.costs()->framework;
  if (!framework.launch) return;
  const bool captured = framework.graphs && !framework.graphs->value.none();
  const std::string covers = captured ? "none" : "step";
  FrameworkKeys(job).add(
      captured ? "eager: no CUDA graphs" : "CUDA graphs over the whole step",
      {{"/graphs", R"({"covers":")" + covers + R"(","kind":"assumed","source":"explain --measured"})"}},
      causes);
}

}  // namespace

void add_software(const GapJob& job, GapCauses& causes) {
  if (!job.costs()) return;
  add_frameworks(job, causes);
  add_overlap(job, causes);
  add_padding(job, causes);
  add_graphs(job, causes);
}

}  // namespace spillway
