#include "search/layout_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cost/network/parallelism.h"
#include "derive/order_stream.h"
#include "experiment/derive_options.h"
#include "json/word_of.h"
#include "search/schedule_names.h"
#include "search/sense.h"

namespace spillway {
namespace {

// The names of a layout's values, beside the keys of violations.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNamesOfKeys{{{"tensor", "TP"},
                                                                                     {"context", "CP"},
                                                                                     {"expert", "EP"},
                                                                                     {"ranks", "P"},
                                                                                     {"replicas", "R"},
                                                                                     {"microbatches", "M"}}};

// "/parallel/tensor" -> "TP"; other pointers are of the schedule.
std::string key_of_pointer(std::string_view pointer) {
  const std::string_view last = pointer.substr(pointer.rfind('/') + 1);
  for (const auto& [key, name] : kNamesOfKeys)
    if (key == last) return std::string(name);
  return pointer.starts_with("/parallel") ? std::string(last) : "schedule";
}

class RuleCheck {
 public:
  RuleCheck(const PlanJob& job, const PlanLayout& layout, DevicesFrom from)
      : job_(job), layout_(layout), from_(from), cluster_(job.clusters[layout.cluster]) {}

  std::vector<BrokenRule> run() {
    devices();
    batch();
    microbatch();
    sharding();
    software();
    if (broken_.empty()) division();
    if (broken_.empty()) schedule();
    return std::move(broken_);
  }

 private:
  const WorkloadSpec& workload() const { return cluster_.analytic().workload; }
  const ScheduleChoice& choice() const { return job_.search.schedules[layout_.schedule]; }

  void refuse(std::string key, std::string expected, std::string found) {
    broken_.push_back({std::move(key), std::move(expected), std::move(found)});
  }
  void refuse(const std::vector<Violation>& violations) {
    for (const Violation& one : violations) refuse(key_of_pointer(one.pointer), one.expected, one.found);
  }

  void devices() {
    const std::uint32_t there = cluster_.platform().device_count();
    const bool offered = std::ranges::find(cluster_.devices, layout_.devices) != cluster_.devices.end();
    if (from_ == DevicesFrom::Job ? !offered : layout_.devices > there)
      refuse("devices",
             from_ == DevicesFrom::Job
                 ? fmt::format("{} of {}", fmt::join(cluster_.devices, " or "), cluster_.platform().name)
                 : fmt::format("at most the {} of {}", there, cluster_.platform().name),
             std::to_string(layout_.devices));
    const std::uint64_t taken =
        std::uint64_t{layout_.ranks} * layout_.tensor * layout_.context * layout_.replicas;
    if (taken != layout_.devices)
      refuse("R", fmt::format("P x TP x CP x R = {} devices", layout_.devices), std::to_string(taken));
    const std::uint64_t sharers = std::uint64_t{layout_.tensor} * layout_.context * layout_.replicas;
    if (sharers % layout_.expert != 0)
      refuse("EP", fmt::format("a divisor of TP x CP x R = {}", sharers), std::to_string(layout_.expert));
  }

  void batch() {
    const std::uint64_t taken = std::uint64_t{layout_.replicas} * layout_.microbatches * layout_.microbatch;
    const char* what = workload().packing == Packing::Unpacked ? "samples" : "sequences";
    if (taken != job_.batch || layout_.microbatches == 0)
      refuse("M", fmt::format("R x M x mb = {} {} in a step", job_.batch, what),
             fmt::format("{} x {} x {}", layout_.replicas, layout_.microbatches, layout_.microbatch));
  }

  void microbatch() {
    if (workload().packing == Packing::Packed && layout_.microbatch != 1)
      refuse("mb", "1, since a packed microbatch is one sequence", std::to_string(layout_.microbatch));
    else if (workload().packing != Packing::Packed && is_too_long(workload(), layout_.microbatch))
      refuse("mb", fmt::format("microbatches of at most {} tokens", kLongestSequence),
             std::to_string(layout_.microbatch));
  }

  void sharding() {
    if (!updates(cluster_.analytic().costs.parallelism.states, layout_.data))
      refuse("data", "plain or zero1, since Muon takes whole matrices",
             std::string(word_of(kDataParallels, layout_.data)));
    if (layout_.data == DataParallel::Plain || job_.search.data) return;
    if (layout_.replicas * layout_.context == 1)
      refuse("data", "plain, since one device has no other to share its states with",
             std::string(word_of(kDataParallels, layout_.data)));
  }

  void software() {
    if (cluster_.splits) return;
    const std::pair<const char*, std::uint32_t> sizes[] = {
        {"P", layout_.ranks}, {"TP", layout_.tensor}, {"CP", layout_.context}, {"EP", layout_.expert}};
    for (const auto& [key, size] : sizes)
      if (size > 1)
        refuse(key, fmt::format("1, since {} has the whole model on each device", cluster_.framework),
               std::to_string(size));
  }

  void division() {
    if (workload().packing != Packing::Unpacked && layout_.context > workload().sequence_tokens)
      return refuse("CP", fmt::format("at most the {} tokens of a sequence", workload().sequence_tokens),
                    std::to_string(layout_.context));
    AnalyticCosts costs = cluster_.analytic().costs;
    costs.parallelism.tensor = layout_.tensor;
    costs.parallelism.context = layout_.context;
    costs.parallelism.expert = layout_.expert;
    refuse(check_analytic(costs, cluster_.base.model, {1, 1, layout_.replicas}));
  }

  void schedule() {
    const auto laid = laid_out();
    if (!laid) return refuse("schedule", "a schedule that takes this pipeline", choice().name);
    AnalyticCosts costs = cluster_.analytic().costs;
    costs.parallelism.expert = layout_.expert;
    if (std::ranges::any_of(choice().schedule.skeletons, needs_experts)) {
      if (layout_.expert == 1) refuse("EP", "2 or more, for " + choice().name, "1");
      if (layout_.recompute == Recompute::Full)
        refuse("recompute", "none, selective or alternate for " + choice().name, "full");
    }
    DeriveOptions options = derive_options({}, *laid);
    options.pipeline = {layout_.ranks, layout_.microbatches, layout_.replicas};
    options.joined_replicas = joined(costs);
    if (options.microbatch_group == 0) options.microbatch_group = layout_.ranks;
    refuse(check_step(cluster_.base.model, laid->schedule, laid->cut, options));
    const std::size_t modules = module_layers(cluster_.base.model).size();
    if (choice().split == StageSplit::Disaggregated && layout_.ranks < modules)
      refuse("P", fmt::format("at least {}, a rank of each module", modules), std::to_string(layout_.ranks));
  }

  std::optional<ScheduleSpec> laid_out() const {
    return schedule_of(choice(), cluster_.base.model,
                       {layout_.ranks, layout_.microbatches, layout_.replicas});
  }

  std::vector<std::uint32_t> joined(AnalyticCosts& costs) const {
    costs.parallelism.tensor = layout_.tensor;
    costs.parallelism.context = layout_.context;
    return joined_replicas(costs);
  }

  const PlanJob& job_;
  const PlanLayout& layout_;
  const DevicesFrom from_;
  const JobCluster& cluster_;
  std::vector<BrokenRule> broken_;
};

template <class Value, class Word>
void look_up(const std::optional<std::vector<Value>>& list, Value value, const char* key, Word word,
             std::vector<BrokenRule>& unlisted) {
  if (!list || std::ranges::find(*list, value) != list->end()) return;
  std::vector<std::string> words;
  for (const Value one : *list) words.push_back(word(one));
  unlisted.push_back({key, fmt::format("{}", fmt::join(words, ", ")), word(value)});
}

// On one rank, all pipelines of one region over the same samples are the same schedule.
bool is_first_on_one_rank(const ScheduleChoice& choice) {
  return !transposes(choice.schedule) && !choice.moves_samples &&
         std::ranges::none_of(choice.schedule.skeletons, needs_experts) &&
         choice.split != StageSplit::Disaggregated;
}

}  // namespace

std::string to_string(const BrokenRule& rule) {
  return rule.key + ": expected " + rule.expected + ", found " + rule.found;
}

bool has_wanted_stages(const ScheduleChoice& choice, const Model& model, std::uint32_t ranks) {
  if (!choice.even_stages) return true;
  const std::size_t stages = ranks * choice.schedule.skeletons.size();
  const std::size_t layers = model.layer_count();
  for (const std::size_t ends : {0, 1, 2})
    if ((layers + ends) % stages == 0) return layers >= stages;
  return false;
}

bool is_too_long(const WorkloadSpec& workload, std::uint64_t microbatch) {
  const bool counted = workload.packing == Packing::Unpacked;
  const std::uint64_t tokens = !counted                              ? workload.sequence_tokens
                               : workload.text_tokens.values.empty() ? 1
                                                                     : workload.text_tokens.values.back();
  return microbatch * tokens > kLongestSequence || (counted && microbatch > kMostSamples);
}

std::vector<BrokenRule> broken_rules(const PlanJob& job, const PlanLayout& layout, DevicesFrom devices) {
  return RuleCheck(job, layout, devices).run();
}

std::vector<BrokenRule> unlisted_values(const PlanJob& job, const PlanLayout& layout) {
  const JobSearch& search = job.search;
  const auto number = [](std::uint32_t value) { return std::to_string(value); };
  std::vector<BrokenRule> unlisted;
  look_up(search.ranks, layout.ranks, "P", number, unlisted);
  look_up(search.tensor, layout.tensor, "TP", number, unlisted);
  look_up(search.context, layout.context, "CP", number, unlisted);
  look_up(search.expert, layout.expert, "EP", number, unlisted);
  look_up(search.microbatch, layout.microbatch, "mb", number, unlisted);
  look_up(
      search.recompute, layout.recompute, "recompute",
      [](Recompute one) { return std::string(word_of(kRecomputes, one)); }, unlisted);
  look_up(
      search.data, layout.data, "data",
      [](DataParallel one) { return std::string(word_of(kDataParallels, one)); }, unlisted);
  const ScheduleChoice& choice = search.schedules[layout.schedule];
  const Model& model = job.clusters[layout.cluster].base.model;
  if (!has_wanted_stages(choice, model, layout.ranks))
    unlisted.push_back({"schedule", "stages of as many layers each, or the schedule in /search/schedules",
                        choice.name + fmt::format(" of {} layers", model.layer_count())});
  if (!search.all)
    if (auto broken = without_sense(job, layout)) unlisted.push_back(*std::move(broken));
  return unlisted;
}

std::size_t planned_schedule(const PlanJob& job, const PlanLayout& layout) {
  PlanLayout other = layout;
  const std::vector<ScheduleChoice>& all = job.search.schedules;
  for (other.schedule = 0; other.schedule < layout.schedule; ++other.schedule) {
    const Model& model = job.clusters[layout.cluster].base.model;
    if (!broken_rules(job, other).empty() || !has_wanted_stages(all[other.schedule], model, layout.ranks))
      continue;
    const bool one_rank =
        layout.ranks == 1 && other.schedule == 0 && is_first_on_one_rank(all[layout.schedule]);
    const auto laid = [&](std::size_t schedule) {
      return *schedule_of(all[schedule], model, {layout.ranks, layout.microbatches, layout.replicas});
    };
    if (one_rank || (all[other.schedule].schedule == all[layout.schedule].schedule &&
                     is_same_schedule(laid(other.schedule), laid(layout.schedule))))
      return other.schedule;
  }
  return layout.schedule;
}

}  // namespace spillway
