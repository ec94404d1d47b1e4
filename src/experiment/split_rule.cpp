#include "experiment/split_rule.h"

#include <algorithm>
#include <array>

namespace spillway {
namespace {

struct RuleWords {
  std::string_view word, phrase, sentence;
};

const RuleWords& words_of(SplitRule rule) {
  static constexpr std::array<RuleWords, 3> all = {{
      {"by-count", "by count", "the pipeline's layers are split by number, whatever the time of each"},
      {"stated", "as stated", "the layers of each stage are stated"},
      {"by-cost", "by time", "the pipeline's layers are split by their expected time, head included"},
  }};
  return all[std::min(static_cast<std::size_t>(rule), all.size() - 1)];
}

// Returns true if each region can only be split by itself.
bool are_apart(const ScheduleSpec& schedule) {
  return !schedule.modules.empty() || std::ranges::any_of(schedule.schedule.skeletons, is_listed);
}

}  // namespace

SplitRule split_rule(const ScheduleSpec& schedule) {
  if (!schedule.layers_per_rank.empty()) return SplitRule::Stated;
  const auto pipelined = [](const Skeleton& skeleton) { return layout_of(skeleton) == Layout::Sharded; };
  const auto regions = std::ranges::count_if(schedule.schedule.skeletons, pipelined);
  if (schedule.split == StageSplit::ByCount && regions > 0) return SplitRule::ByCount;
  if (schedule.split == StageSplit::Disaggregated) return SplitRule::ByModule;
  const bool each = schedule.split == StageSplit::Balanced && regions > 1 && !are_apart(schedule);
  return each ? SplitRule::ByRegion : SplitRule::Jointly;
}

bool is_by_cost(SplitRule rule) {
  return rule >= SplitRule::Jointly;
}

std::string_view split_word(SplitRule rule) {
  return words_of(rule).word;
}

std::string_view to_string(SplitRule rule) {
  return words_of(rule).phrase;
}

std::string_view split_sentence(SplitRule rule) {
  return words_of(rule).sentence;
}

ScheduleSpec split_by_cost(ScheduleSpec schedule, SplitRule like) {
  const bool each = like == SplitRule::ByRegion || are_apart(schedule);
  schedule.layers_per_rank.clear();
  schedule.split = each ? StageSplit::Balanced : StageSplit::Joint;
  return schedule;
}

}  // namespace spillway
