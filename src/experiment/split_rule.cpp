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
      {"by-count", "by count", "the pipeline's layers are split by their number, whatever each takes"},
      {"stated", "as stated", "the layers of each stage are stated"},
      {"by-cost", "by what layers take",
       "the pipeline's layers are split by what they are expected to take, head included"},
  }};
  return all[static_cast<std::size_t>(rule)];
}

}  // namespace

SplitRule split_rule(const ScheduleSpec& schedule) {
  if (!schedule.layers_per_rank.empty()) return SplitRule::Stated;
  const auto pipelined = [](const Skeleton& skeleton) { return layout_of(skeleton) == Layout::Sharded; };
  const bool counts =
      schedule.split == StageSplit::ByCount && std::ranges::any_of(schedule.schedule.skeletons, pipelined);
  return counts ? SplitRule::ByCount : SplitRule::ByCost;
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

ScheduleSpec split_by_cost(ScheduleSpec schedule) {
  const bool apart = !schedule.modules.empty() || std::ranges::any_of(schedule.schedule.skeletons, is_listed);
  schedule.layers_per_rank.clear();
  schedule.split = apart ? StageSplit::Balanced : StageSplit::Joint;
  return schedule;
}

}  // namespace spillway
