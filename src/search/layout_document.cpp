#include <string>
#include <vector>

#include "cost/network/parallelism.h"
#include "experiment/encoder_images.h"
#include "input/experiment/whole_paths.h"
#include "json/document.h"
#include "json/word_of.h"
#include "search/layout.h"

namespace spillway {
namespace {

Node number(std::uint64_t value) {
  return {value};
}

List numbers(const std::vector<std::uint32_t>& values) {
  List list;
  for (const std::uint32_t value : values) list.push_back(number(value));
  return list;
}

Node schedule_document(const ScheduleChoice& choice) {
  Object schedule{{"name", {choice.name}}};
  if (choice.system) {
    schedule.insert(schedule.end(), choice.system_entry.begin(), choice.system_entry.end());
    return {List{{schedule}}};
  }
  schedule.push_back({"schedule", {choice.text}});
  if (choice.cut) schedule.push_back({"cut", {numbers(choice.cut->boundaries)}});
  if (choice.split != StageSplit::ByCount)
    schedule.push_back({"split", {std::string(word_of(kStageSplits, choice.split))}});
  if (choice.owner != OwnerPolicy::Greedy)
    schedule.push_back({"owner", {std::string(word_of(kOwnerPolicies, choice.owner))}});
  return {List{{schedule}}};
}

// A block keeps its own word. The reader of models refuses anything that is no model.
void set_recompute(Node& model, Recompute recompute) {
  Node* blocks = find(std::get<Object>(model.value), "blocks");
  auto* list = blocks ? std::get_if<List>(&blocks->value) : nullptr;
  if (!list) return;
  for (Node& block : *list) {
    auto* members = std::get_if<Object>(&block.value);
    if (members && !find(*members, "recompute"))
      members->push_back({"recompute", {std::string(word_of(kRecomputes, recompute))}});
  }
}

void set_microbatch(Node& workload, std::uint32_t size) {
  auto& members = std::get<Object>(workload.value);
  if (Node* sequences = find(members, "sequences_per_microbatch")) *sequences = number(size);
  if (Node* samples = find(members, "samples_per_microbatch")) *samples = number(size);
}

// Contract: the experiment states its parallelism, and not yet this key.
void set_parallel(Node& experiment, const char* key, std::string_view word) {
  auto& parallel = std::get<Object>(find(std::get<Object>(experiment.value), "parallel")->value);
  parallel.push_back({key, {std::string(word)}});
}

}  // namespace

Node experiment_document(const Object& job, const Object& cluster, const PlanLayout& layout,
                         const ScheduleChoice& schedule) {
  Object all{{"schema", {std::string("spillway/experiment/1")}}};
  for (const Member& member : job) all.push_back(member);
  for (const Member& member : cluster) all.push_back(member);
  all.push_back({"pipeline",
                 {Object{{"ranks", number(layout.ranks)},
                         {"microbatches", number(layout.microbatches)},
                         {"replicas", number(layout.replicas)}}}});
  Node* stated = find(all, "parallel");
  if (!stated) {
    all.push_back({"parallel", {Object()}});
    stated = &all.back().value;
  }
  auto& parallel = std::get<Object>(stated->value);
  parallel.push_back({"tensor", number(layout.tensor)});
  parallel.push_back({"context", number(layout.context)});
  parallel.push_back({"expert", number(layout.expert)});
  parallel.push_back({"data", {std::string(word_of(kDataParallels, layout.data))}});
  set_recompute(*find(all, "model"), layout.recompute);
  set_microbatch(*find(all, "workload"), layout.microbatch);
  all.push_back({"schedules", schedule_document(schedule)});
  return {all};
}

std::string experiment_text(const PlanJob& job, const PlanLayout& layout, const ScheduleSpec& schedule) {
  const JobCluster& cluster = job.clusters[layout.cluster];
  Node document =
      experiment_document(job.document, cluster.document, layout, job.search.schedules[layout.schedule]);
  if (cluster.images && layout.tensor * layout.context > 1)
    set_parallel(document, "images", word_of(kEncoderImages, *cluster.images));
  if (cluster.dispatch && layout.expert > 1)
    set_parallel(document, "dispatch", word_of(kExpertDispatches, *cluster.dispatch));
  if (!schedule.layers_per_rank.empty()) {
    Node& written = std::get<List>(find(std::get<Object>(document.value), "schedules")->value).front();
    auto& members = std::get<Object>(written.value);
    std::erase_if(members, [](const Member& member) {
      return member.key == "split" || member.key == "cut" || member.key == "encoder_ranks";
    });
    if (!schedule.cut.boundaries.empty()) members.push_back({"cut", {numbers(schedule.cut.boundaries)}});
    members.push_back({"layers_per_rank", {numbers(schedule.layers_per_rank)}});
  }
  make_paths_whole(document, job.path);
  return json_text(document);
}

}  // namespace spillway
