#include "search/schedule_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "json/document.h"
#include "json/word_of.h"
#include "model/model.h"
#include "model/region.h"

namespace spillway {
namespace {

// The most stages of a rank that are tried without being named: published recipes have up to 14.
constexpr std::uint32_t kMostUsualChunks = 16;

using Options = std::map<std::string, std::string>;

// If the regions are not interleaved, a joint split is a balanced one.
StageSplit simplest(StageSplit split, const Schedule& schedule) {
  return split == StageSplit::Joint && !has_woven_regions(schedule) ? StageSplit::Balanced : split;
}

std::string list_text(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text + "]";
}

// The options in which choices of one text may differ.
Options options_of(const ScheduleChoice& choice) {
  Options options = {{"owner", std::string(word_of(kOwnerPolicies, choice.owner))},
                     {"split", std::string(word_of(kStageSplits, choice.split))}};
  if (choice.cut) options["cut"] = list_text(choice.cut->boundaries);
  for (const Member& member : choice.system_entry)
    if (member.key != "system" && member.key != "body" && !options.contains(member.key))
      options[member.key] = compact_json(member.value);
  return options;
}

Options stated_options(const ScheduleChoice& choice) {
  Options options = options_of(choice);
  options["split"] = word_of(kStageSplits, simplest(choice.split, choice.schedule));
  return options;
}

// Returns the keys whose values are not equal in all choices.
std::set<std::string> differing(const std::vector<const ScheduleChoice*>& choices) {
  std::set<std::string> keys;
  const Options first = stated_options(*choices.front());
  for (const ScheduleChoice* choice : choices) {
    const Options options = stated_options(*choice);
    for (const auto& [one, other] : {std::pair(&first, &options), std::pair(&options, &first)})
      for (const auto& [key, value] : *one)
        if (const auto found = other->find(key); found == other->end() || found->second != value)
          keys.insert(key);
  }
  return keys;
}

// More than this many equal skeletons are counted: "1f1b x8".
constexpr std::size_t kMostWritten = 4;

std::string short_text(const ScheduleChoice& choice) {
  const std::vector<Skeleton>& all = choice.schedule.skeletons;
  const bool repeats = std::ranges::all_of(all, [&](const Skeleton& one) { return one == all.front(); });
  if (choice.system || all.size() <= kMostWritten || !repeats) return choice.text;
  return to_string(Schedule{{all.front()}}) + " x" + std::to_string(all.size());
}

std::string name_of(const ScheduleChoice& choice, const std::set<std::string>& keys) {
  std::string name = short_text(choice);
  for (const auto& [key, value] : options_of(choice))
    if (keys.contains(key)) name += ' ' + key + ' ' + value;
  return name;
}

std::optional<ScheduleSpec> laid(const PlanJob& job, const PlanLayout& layout, std::size_t schedule) {
  return schedule_of(job.search.schedules[schedule], job.clusters[layout.cluster].base.model,
                     {layout.ranks, layout.microbatches, layout.replicas});
}

ScheduleChoice balanced(const std::string& text, std::optional<Cut> cut = {}) {
  return balanced_choice(text, std::get<Schedule>(parse_schedule(text)), std::move(cut));
}

// Contract: the model begins with an encoder.
ScheduleChoice played(const char* name, const char* body, const Model& model) {
  const auto system = std::ranges::find(systems(), std::string_view(name), &System::name);
  const bool plain = std::string_view(body) == "1f1b";
  ScheduleChoice choice{.text = plain ? name : name + (std::string(" of ") + body),
                        .schedule = {},
                        .system = SystemChoice{&*system, {.body = std::get<Schedule>(parse_schedule(body))}},
                        .system_entry = {{"system", {std::string(name)}}}};
  if (!plain) choice.system_entry.push_back({"body", {std::string(body)}});
  ensure(lay_out(choice, model).empty(), "a system takes a model with an encoder");
  return choice;
}

}  // namespace

void name_apart(std::vector<ScheduleChoice>& choices) {
  std::map<std::string, std::vector<const ScheduleChoice*>> by_text;
  for (const ScheduleChoice& choice : choices) by_text[short_text(choice)].push_back(&choice);
  for (ScheduleChoice& choice : choices)
    choice.name = name_of(choice, differing(by_text[short_text(choice)]));
}

bool is_same_schedule(const ScheduleSpec& one, const ScheduleSpec& other) {
  const auto without_words = [](ScheduleSpec spec) {
    spec.name = spec.system = "";
    spec.assumptions.clear();
    spec.split = simplest(spec.split, spec.schedule);
    return spec;
  };
  return without_words(one) == without_words(other);
}

std::vector<std::string> folded_names(const PlanJob& job, const PlanLayout& layout) {
  const ScheduleSpec own = *laid(job, layout, layout.schedule);
  std::vector<std::string> names;
  for (std::size_t other = layout.schedule + 1; other < job.search.schedules.size(); ++other) {
    const auto spec = laid(job, layout, other);
    const std::string& name = job.search.schedules[other].name;
    if (spec && is_same_schedule(own, *spec) && name != job.search.schedules[layout.schedule].name &&
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

std::vector<Violation> lay_out(ScheduleChoice& choice, const Model& model) {
  const auto& [system, options] = *choice.system;
  const auto modules = static_cast<std::uint32_t>(module_layers(model).size());
  const std::uint32_t ranks = modules - 1 + std::max(1u, options.encoder_ranks);
  const std::uint32_t microbatches = ranks * std::max(2u, options.macro_batch);
  LaidOut laid = system->lay({model, {ranks, microbatches, std::max(1u, options.group_replicas)}}, options);
  if (auto* violations = std::get_if<std::vector<Violation>>(&laid)) return std::move(*violations);
  const auto& spec = std::get<ScheduleSpec>(laid);
  if (spec.solve_modules)
    return {{"", options.chunks > 0 ? "/chunks" : "/body",
             "one stage per rank, since a plan does not solve for the devices of other layouts",
             to_string(options.body)}};
  choice.schedule = spec.schedule;
  choice.split = spec.split;
  choice.owner = spec.owner;
  choice.input = spec.input;
  choice.moves_samples = spec.regrouping.rule != Regrouping::Rule::AsDrawn;
  return {};
}

ScheduleChoice balanced_choice(std::string text, Schedule schedule, std::optional<Cut> cut) {
  const StageSplit split = has_woven_regions(schedule) ? StageSplit::Joint : StageSplit::Balanced;
  return {std::move(text), std::move(schedule), split, std::move(cut)};
}

std::vector<ScheduleChoice> usual_schedules(const Model& model) {
  std::vector<ScheduleChoice> all;
  for (const char* text :
       {"1f1b", "zb-h1", "zb-2p", "zb-v", "v-half", "dualpipev", "1f1b,1f1b", "1f1b,1f1b,1f1b,1f1b"})
    all.push_back(balanced(text));
  for (std::uint32_t chunks = 3; chunks <= kMostUsualChunks; ++chunks) {
    if (chunks == 4) continue;
    all.push_back(balanced(joined(std::vector<std::string>(chunks, "1f1b"), ",")));
    all.back().even_stages = true;
  }
  const std::uint32_t encoder = leading_encoder_layers(model);
  if (encoder == 0 || encoder == model.layer_count()) return all;
  for (const char* body : {"1f1b", "zb-h1", "zb-v", "1f1b,1f1b"})
    all.push_back(balanced(std::string("transpose,") + body, Cut{{encoder}}));
  // Systems that plan gaps take many times as long to evaluate, so a job must name them.
  all.push_back(played("disttrain", "1f1b", model));
  all.push_back(played("encode-first", "1f1b,1f1b", model));
  return all;
}

}  // namespace spillway
