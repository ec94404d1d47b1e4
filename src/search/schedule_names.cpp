#include "search/schedule_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "json/document.h"
#include "json/word_of.h"

namespace spillway {
namespace {

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

}  // namespace spillway
