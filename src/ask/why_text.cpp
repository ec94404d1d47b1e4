// Test: tests/ask/recommended_layout_test.cpp.
#include "ask/why_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "memory/memory_text.h"
#include "search/answer/plan_words.h"
#include "search/plan_value.h"
#include "words/duration_text.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::string memory_reason(const AskedLayout& asked, const ExplainedLayout& explained) {
  const Bytes limit = *usable_memory(asked.job, asked.job.clusters[asked.layout.cluster]);
  std::string text = fmt::format("it does not fit: it needs {}, and a plan may use {} of a device",
                                 bytes_text(*explained.own.memory), bytes_text(limit));
  if (explained.memory_bound > limit)
    text += fmt::format("; a bound proves it before any evaluation, at least {}",
                        bytes_text(explained.memory_bound));
  return text;
}

std::string tie_text(const ExplainedLayout& explained) {
  return "plans that differ by less than " + percent(explained.margin, 1) + " cannot be told apart";
}

// The step and, since another cluster's step costs otherwise, the objective.
std::string out_of_reach_text(const AskedLayout& asked, const ExplainedLayout& explained) {
  const double least = value_of_step(asked.job, asked.layout, explained.step_bound);
  return fmt::format("it cannot be among the best: a bound proves that it takes at least {} a step, {}",
                     duration_text(explained.step_bound),
                     distance_text(asked.job, least / explained.best->value - 1));
}

// "dearer" or "slower" by so much.
std::string difference_words(const PlanJob& job, double share) {
  const char* words[2][2] = {{"slower", "faster"}, {"dearer", "cheaper"}};
  return percent(std::abs(share), 1) + ' ' + words[job.objective == Objective::Usd][share < 0];
}

bool is_on_other_devices(const PlanJob& job, const PlanLayout& one, const PlanLayout& other) {
  return one.devices != other.devices ||
         job.clusters[one.cluster].stated != job.clusters[other.cluster].stated;
}

// Why plan 1 stands before this layout, which cannot be told apart from the best: it is launched, simpler or
// better. Plan 1 is chosen on the devices of the best.
std::string first_words(const AskedLayout& asked, const ExplainedLayout& explained) {
  const RecommendedPlan& first = *explained.recommended;
  std::string why = preference_words(asked.job, first.plan.layout, first.launch, asked.layout,
                                     explained.launch->reason, "this layout");
  if (why.empty() && first.plan.value < explained.own.value)
    why = "it is " + difference_words(asked.job, first.plan.value / explained.own.value - 1);
  if (why.empty() && is_on_other_devices(asked.job, first.plan.layout, asked.layout))
    why = "it is on the devices of the best";
  return "; plan 1 leads" + (why.empty() ? "" : ": " + why);
}

// Plan 1 need not be the best.
std::string recommended_text(const AskedLayout& asked, const ExplainedLayout& explained) {
  const RecommendedPlan& first = *explained.recommended;
  if (first.place == 1) return "it is plan 1, which is recommended, and the best";
  const std::string why = preference_words(asked.job, first.plan.layout, first.launch, explained.best->layout,
                                           first.best_launch_reason, "the best");
  return fmt::format("it is plan 1, which is recommended; the best is {}, and cannot be told apart from it{}",
                     difference_words(asked.job, explained.best->value / first.plan.value - 1),
                     why.empty() ? "" : ": " + why);
}

std::string row_text(const ExplainedLayout& explained) {
  if (explained.row == 0) return "";
  const std::string number = std::to_string(explained.row);
  return (explained.is_folded ? ", for which stands plan " : ", shown as plan ") + number;
}

}  // namespace

std::string rules_text(const std::vector<BrokenRule>& rules) {
  std::vector<std::string> all;
  for (const BrokenRule& rule : rules) all.push_back(to_string(rule));
  return joined(all, "; ");
}

std::string distance_text(const PlanJob& job, double share, std::string_view than) {
  return difference_words(job, share) + " than " + std::string(than);
}

std::string why_text(const AskedLayout& asked, const ExplainedLayout& explained, std::size_t plans) {
  const std::string place =
      fmt::format("number {} of {} evaluated plans{}", explained.place, plans, row_text(explained));
  switch (explained.fate) {
    case LayoutFate::Illegal:
      return "it is no legal layout of this job: " + rules_text(explained.own.rules);
    case LayoutFate::Refused:
      return "it cannot be evaluated: " + explained.own.refusal;
    case LayoutFate::DoesNotFit:
      return memory_reason(asked, explained);
    case LayoutFate::NotSearched:
      return "the job does not search it: " + rules_text(explained.unlisted);
    case LayoutFate::NotLaunchable:
      return "only layouts that can be launched are asked for: " + explained.launch->reason;
    case LayoutFate::BeyondLimits:
      return "it exceeds a limit of the job: " + explained.own.limit;
    case LayoutFate::OutOfReach:
      return out_of_reach_text(asked, explained);
    case LayoutFate::Recommended:
      return recommended_text(asked, explained);
    case LayoutFate::Best:
      return "it is the best" + row_text(explained) +
             ", and cannot be told apart from plan 1: " + tie_text(explained) + first_words(asked, explained);
    case LayoutFate::Tied:
      return "it stands in the tie of the best, " + place + ": " + tie_text(explained) +
             first_words(asked, explained);
    case LayoutFate::Slower:
      return place + ", and not in the tie of the best: " + tie_text(explained);
  }
  return "";
}

}  // namespace spillway
