#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.h"
#include "json/canonical.h"
#include "json/changed_document.h"
#include "json/content_digest.h"
#include "json/document.h"
#include "json/file_memory.h"
#include "json/place.h"
#include "model/model.h"
#include "model/region.h"
#include "search/cluster_reader.h"
#include "search/job.h"
#include "search/schedule_names.h"
#include "search/software/narrowed_job.h"

namespace spillway {
namespace {

constexpr std::uint32_t kLargestBatch = 8'000'000, kMostReplays = 1'000;

std::optional<Object> read_members_as_they_are(const Place& place) {
  if (const auto* object = std::get_if<Object>(&place.node->value)) return *object;
  place.refuse("an object");
  return std::nullopt;
}

std::optional<ScheduleChoice> parsed_schedule(const std::string& text, const Place& place,
                                              const std::string& pointer) {
  auto parsed = parse_schedule(text);
  auto* schedule = std::get_if<Schedule>(&parsed);
  std::vector<Violation> violations =
      schedule ? check_schedule(*schedule) : std::get<std::vector<Violation>>(parsed);
  for (Violation& violation : violations) {
    violation.file = place.findings->file();
    violation.pointer = pointer;
  }
  if (violations.empty()) return ScheduleChoice{text, *schedule};
  place.findings->add(std::move(violations));
  return std::nullopt;
}

// The layout of a system follows when the model is known.
std::optional<ScheduleChoice> read_system_entry(const Place& place) {
  const Fields fields(place, system_keys());
  fields.forbid("modules", "no such key, since a plan chooses the layout");
  const auto system = read_system_choice(fields);
  if (!system) return std::nullopt;
  std::string text(system->system->name);
  if (!system->system->unbounded.empty()) {
    place.findings->add(place.pointer + "/system", "a system whose steps have a lower bound",
                        text + ": " + std::string(system->system->unbounded));
    return std::nullopt;
  }
  if (!system->system->unranked.empty()) {
    place.findings->add(place.pointer + "/system", "a system that is ranked",
                        text + ": " + std::string(system->system->unranked));
    return std::nullopt;
  }
  if (fields.at("body") || fields.at("chunks")) text += " of " + to_string(system->options.body);
  return ScheduleChoice{.text = std::move(text),
                        .schedule = system->options.body,
                        .system = system,
                        .system_entry = std::get<Object>(place.node->value)};
}

// Reads a text, or an object as in an experiment.
std::optional<ScheduleChoice> read_choice_of_schedule(const Place& place) {
  if (const auto* text = std::get_if<std::string>(&place.node->value))
    return parsed_schedule(*text, place, place.pointer);
  if (const auto* members = std::get_if<Object>(&place.node->value); members && find(*members, "system"))
    return read_system_entry(place);
  const Fields fields(place, {"schedule", "split", "cut", "owner"});
  auto choice = fields.need("schedule", [](const Place& p) -> std::optional<ScheduleChoice> {
    const auto text = read_text(p);
    return text ? parsed_schedule(*text, p, p.pointer) : std::nullopt;
  });
  const auto split =
      fields.get("split", [](const Place& p) { return read_choice<StageSplit>(p, kStageSplits); });
  auto cut = fields.get("cut", [](const Place& p) { return read_each(p, count_from(1, kMostDevices)); });
  const auto owner =
      fields.get("owner", [](const Place& p) { return read_choice<OwnerPolicy>(p, kOwnerPolicies); });
  if (!choice) return std::nullopt;
  choice->split = split.value_or(choice->split);
  if (cut) choice->cut = Cut{*std::move(cut)};
  choice->owner = owner.value_or(choice->owner);
  return choice;
}

JobSearch read_search(const Place& place) {
  const Fields fields(place, {"ranks", "tensor", "context", "expert", "microbatch_sequences", "schedules",
                              "recompute", "data", "all"});
  const auto counts = some(count_from(1, kMostDevices));
  JobSearch search;
  search.ranks = fields.get("ranks", counts);
  search.tensor = fields.get("tensor", counts);
  search.context = fields.get("context", counts);
  search.expert = fields.get("expert", counts);
  search.microbatch = fields.get("microbatch_sequences", counts);
  search.schedules =
      fields.get("schedules", some(read_choice_of_schedule)).value_or(std::vector<ScheduleChoice>());
  search.recompute =
      fields.get("recompute", some([](const Place& p) { return read_choice<Recompute>(p, kRecomputes); }));
  search.data =
      fields.get("data", some([](const Place& p) { return read_choice<DataParallel>(p, kDataParallels); }));
  search.all = fields.get("all", read_boolean).value_or(false);
  return search;
}

JobLimits read_limits(const Place& place) {
  const Fields fields(place, {"days", "budget_usd", "step_s", "memory_headroom"});
  const auto read = [](const Place& p) { return read_number(p, kPositive); };
  JobLimits limits;
  limits.days = fields.get("days", read);
  if (const auto budget = fields.get("budget_usd", read)) limits.budget = Dollars(*budget);
  if (const auto step = fields.get("step_s", read)) limits.step = Seconds(*step);
  const auto headroom = fields.get("memory_headroom", [](const Place& p) { return read_number(p, kShare); });
  limits.memory_headroom = headroom.value_or(limits.memory_headroom);
  return limits;
}

bool draws_samples(const Object& workload) {
  return find(workload, "trace") || find(workload, "text_tokens");
}

// Reads the workload of an experiment without the size of a microbatch, which the plan chooses.
std::optional<Object> read_workload_of_job(const Place& place) {
  std::optional<Object> workload = read_members_as_they_are(place);
  if (!workload) return std::nullopt;
  for (const char* own : {"sequences_per_microbatch", "samples_per_microbatch"})
    if (find(*workload, own))
      place.findings->add(child(place.pointer, own),
                          "no such key, since /search/microbatch_sequences lists them",
                          describe(*find(*workload, own)));
  const Node* packing = find(*workload, "packing");
  const bool unpacked = packing && *packing == Node{std::string("unpacked")};
  if (unpacked)
    workload->push_back({"samples_per_microbatch", {std::uint64_t{1}}});
  else if (!draws_samples(*workload))
    workload->push_back({"sequences_per_microbatch", {std::uint64_t{1}}});
  return workload;
}

bool counts_samples(const Object& workload) {
  return find(workload, "samples_per_microbatch") != nullptr;
}

std::optional<std::uint32_t> read_batch(const Place& place, const std::optional<Object>& workload) {
  const Fields fields(place, {"sequences", "samples"});
  const auto read = count_from(1, kLargestBatch);
  const bool samples = workload && counts_samples(*workload);
  if (workload)
    fields.forbid(samples ? "sequences" : "samples",
                  samples ? "samples, since unpacked sequences are as long as their samples"
                          : "sequences, since samples fill packed sequences");
  return fields.need(samples ? "samples" : "sequences", read);
}

// Layouts share the devices in many ways, so the document states how the measured ones did: one device
// without recomputation, unless the job says otherwise.
Node as_measured_on_one(const Node& measured) {
  const auto* stated = std::get_if<Object>(&measured.value);
  Object all = stated ? *stated : Object{{"passes", measured}};
  if (!find(all, "tensor")) all.push_back({"tensor", {std::uint64_t{1}}});
  if (!find(all, "replicas")) all.push_back({"replicas", {std::uint64_t{1}}});
  if (!find(all, "recompute")) all.push_back({"recompute", {std::string("none")}});
  return {all, measured.from_user};
}

// Returns the keys that all experiments of the job share. If nothing is drawn, the first draw is the step, to
// the last digit.
std::optional<Object> job_document(const Fields& fields, const std::optional<std::string>& name,
                                   const std::optional<Object>& workload, std::uint32_t draws,
                                   std::uint64_t seed) {
  const auto model = fields.need("model", read_members_as_they_are);
  const auto parallel = fields.get("parallel", read_members_as_they_are);
  if (parallel)
    for (const char* planned : {"tensor", "context", "expert", "data"})
      if (find(*parallel, planned))
        fields.findings().add(child("/parallel", planned),
                              "no such key, since it is planned; list values in /search",
                              describe(*find(*parallel, planned)));
  if (!name || !workload || !model) return std::nullopt;
  Object document{{"name", {*name}}};
  for (const char* key : {"assumptions", "network"})
    if (const auto place = fields.at(key)) document.push_back({key, *place->node});
  if (const auto measured = fields.at("measured"))
    document.push_back({"measured", as_measured_on_one(*measured->node)});
  document.push_back({"model", {*model}});
  document.push_back({"workload", {*workload}});
  if (parallel) document.push_back({"parallel", {*parallel}});
  if (draws_samples(*workload)) {
    document.push_back({"seed", {seed}});
    document.push_back({"draws", {std::uint64_t{draws}}});
  }
  return document;
}

std::vector<bool> stating_recompute(const Object& document) {
  std::vector<bool> stating;
  const Node* blocks = find(std::get<Object>(find(document, "model")->value), "blocks");
  for (const Node& block : std::get<List>(blocks->value))
    stating.push_back(find(std::get<Object>(block.value), "recompute") != nullptr);
  return stating;
}

// Refuses limits and objectives that need prices or tokens the job does not state.
void check_aims(const Fields& fields, const PlanJob& job, const std::optional<Objective>& asked) {
  const auto refuse = [&](const char* pointer, const char* expected) {
    fields.findings().add(pointer, expected, "none");
  };
  if (!job.tokens && (job.limits.days || job.limits.budget))
    refuse("/tokens", "the tokens of the training, which limits of days and USD need");
  if (!job.has_prices && job.limits.budget)
    refuse("/clusters", "a price of every cluster, which a budget needs");
  else if (!job.has_prices && asked == Objective::Usd)
    refuse("/clusters", "a price of every cluster, which the objective usd needs");
}

// What was measured on one platform is not what another takes.
void check_measured(const Fields& fields, const std::vector<JobCluster>& clusters) {
  if (!fields.at("measured")) return;
  const std::string& first = clusters.front().platform().name;
  const auto other = std::ranges::find_if(
      clusters, [&](const JobCluster& cluster) { return cluster.platform().name != first; });
  if (other != clusters.end())
    fields.findings().add("/clusters", "one platform, on which the passes of /measured were measured",
                          first + " and " + other->platform().name);
}

Objective objective_of(const std::optional<Objective>& asked, bool has_prices) {
  return asked.value_or(Objective::Usd) == Objective::Usd && has_prices ? Objective::Usd : Objective::Time;
}

void lay_systems(const Fields& fields, JobSearch& search, const Model& model) {
  for (std::size_t i = 0; i < search.schedules.size(); ++i) {
    if (!search.schedules[i].system) continue;
    for (const Violation& wrong : lay_out(search.schedules[i], model))
      fields.findings().add("/search/schedules/" + std::to_string(i) + wrong.pointer, wrong.expected,
                            wrong.found);
  }
}

// No experiment has these: clips of audio are computed where they were drawn.
void keep_audio(const Fields& fields, JobSearch& search) {
  if (search.usual) std::erase_if(search.schedules, &ScheduleChoice::moves_samples);
  for (std::size_t i = 0; i < search.schedules.size(); ++i)
    if (search.schedules[i].moves_samples)
      fields.findings().add("/search/schedules/" + std::to_string(i),
                            "a schedule that computes audio where it was drawn",
                            '"' + search.schedules[i].text + '"');
}

// Refuses cuts that no layout of the model can have.
void check_cuts(const Fields& fields, const JobSearch& search, const Model& model) {
  for (std::size_t i = 0; i < search.schedules.size(); ++i) {
    const ScheduleChoice& choice = search.schedules[i];
    if (choice.system) continue;
    const std::string pointer = "/search/schedules/" + std::to_string(i);
    const std::size_t regions =
        choice.split == StageSplit::Joint ? piece_count(choice.schedule) : choice.schedule.skeletons.size();
    if (choice.cut) {
      for (const Violation& wrong : check_cut(*choice.cut, model, regions))
        fields.findings().add(pointer + wrong.pointer, wrong.expected, wrong.found);
    } else if (!default_cut(model, regions)) {
      fields.findings().add(pointer,
                            std::to_string(regions - 1) + " layer boundaries as its cut, since " +
                                counted(regions, "region") + " cannot be cut by default from " +
                                counted(model.blocks().size(), "block"),
                            choice.text);
    }
  }
}

// Stated clusters one after the other, each under its frameworks.
std::vector<JobCluster> by_framework(const std::vector<std::vector<JobCluster>>& stated) {
  std::vector<JobCluster> all;
  for (std::size_t i = 0; i < stated.size(); ++i)
    for (JobCluster cluster : stated[i]) {
      cluster.stated = i;
      all.push_back(std::move(cluster));
    }
  return all;
}

// Contract: all files have been read.
std::string identity_of(const Place& place) {
  // The number changes where layouts are numbered otherwise: stores hold outcomes by these numbers.
  std::string bytes = "plan 2\n";
  for (const Digest& content : place.files->opened()) append_bytes(content, bytes);
  return to_string(digest_of(bytes + canonical(*place.node)));
}

std::optional<PlanJob> read_job(const Place& place) {
  const Fields fields(
      place, {"schema", "name", "note", "assumptions", "model", "parallel", "network", "workload", "batch",
              "tokens", "clusters", "limits", "objective", "search", "draws", "seed", "replay", "measured"});
  require_schema(fields, "spillway/plan/1");
  fields.get("note", read_text);
  const auto name = fields.need("name", read_text);
  const auto workload = fields.need("workload", read_workload_of_job);
  const auto batch = fields.need("batch", [&](const Place& p) { return read_batch(p, workload); });
  const auto tokens = fields.get("tokens", [](const Place& p) { return read_number(p, kPositive); });
  const auto limits = fields.at("limits") ? read_limits(*fields.at("limits")) : JobLimits();
  using Word = std::pair<std::string_view, Objective>;
  constexpr std::array<Word, 2> kObjectives{{{"usd", Objective::Usd}, {"time", Objective::Time}}};
  const auto objective =
      fields.get("objective", [&](const Place& p) { return read_choice<Objective>(p, kObjectives); });
  JobSearch search = fields.at("search") ? read_search(*fields.at("search")) : JobSearch();
  const auto draws = fields.get("draws", count_from(1, kMostDraws)).value_or(8);
  const auto seed =
      fields
          .get("seed",
               [](const Place& p) { return read_whole(p, 0, std::numeric_limits<std::uint64_t>::max()); })
          .value_or(1);
  const auto replay = fields.get("replay", count_from(0, kMostReplays)).value_or(3);
  auto document = job_document(fields, name, workload, draws, seed);
  const auto read = fields.need("clusters", some([&](const Place& p) { return read_cluster(p, document); }));
  if (!document || !batch || !read) return std::nullopt;
  std::vector<JobCluster> clusters = by_framework(*read);
  const bool has_prices =
      std::ranges::all_of(clusters, [](const JobCluster& c) { return c.platform().price.has_value(); });
  KnownErrors known_errors = shipped_known_errors(*place.files);
  PlanJob job{.name = *name,
              .path = place.findings->file(),
              .text = compact_json(*place.node),
              .identity = identity_of(place),
              .document = *document,
              .states_recompute = stating_recompute(*document),
              .batch = *batch,
              .tokens = tokens,
              .clusters = std::move(clusters),
              .known_errors = std::move(known_errors),
              .limits = limits,
              .objective = objective_of(objective, has_prices),
              .has_prices = has_prices,
              .search = std::move(search),
              .draws = draws,
              .seed = seed,
              .replay = replay};
  check_aims(fields, job, objective);
  check_measured(fields, job.clusters);
  lay_systems(fields, job.search, job.clusters.front().base.model);
  check_cuts(fields, job.search, job.clusters.front().base.model);
  job.search.usual = job.search.schedules.empty();
  if (job.search.usual) job.search.schedules = usual_schedules(job.clusters.front().base.model);
  if (find(*workload, "audio")) keep_audio(fields, job.search);
  name_apart(job.search.schedules);
  return job;
}

}  // namespace

PlanJob read_plan_job(const Source& source, const std::string& framework) {
  PlanJob job = read_changed_document<PlanJob>(source, "plan", Object(), Files(), read_job);
  return framework.empty() ? job : narrowed_to(std::move(job), framework);
}

}  // namespace spillway
