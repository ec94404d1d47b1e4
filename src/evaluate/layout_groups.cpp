#include "evaluate/layout_groups.h"

#include <algorithm>
#include <map>

namespace spillway {
namespace {

// Times are for one sample.
struct TimedLayout {
  std::string name;  // of its first case
  double predicted;
  double measured;
  std::size_t cases;
};

void add_case(std::vector<TimedLayout>& layouts, const CaseResult& one) {
  const double predicted = one.step.value() / one.job->samples,
               measured = one.measured.step->value() / one.job->samples;
  const auto same = std::ranges::find(layouts, predicted, &TimedLayout::predicted);
  if (same == layouts.end()) return layouts.push_back({one.measured.name, predicted, measured, 1});
  same->cases += 1;
  same->measured += (measured - same->measured) / static_cast<double>(same->cases);
}

}  // namespace

std::vector<LayoutGroup> layout_groups(const std::vector<CaseResult>& cases) {
  std::map<std::size_t, std::vector<std::size_t>> by_job;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].job && cases[i].measured.step) by_job[cases[i].job->number].push_back(i);
  std::vector<LayoutGroup> groups;
  for (const auto& [job, members] : by_job) {
    std::vector<TimedLayout> layouts;
    for (const std::size_t member : members) add_case(layouts, cases[member]);
    if (layouts.size() < 2) continue;
    const TimedLayout& chosen = *std::ranges::min_element(layouts, {}, &TimedLayout::predicted);
    const TimedLayout& best = *std::ranges::min_element(layouts, {}, &TimedLayout::measured);
    groups.push_back({cases[members.front()].measured.of_class, members, layouts.size(), chosen.name,
                      best.name, chosen.measured / best.measured - 1});
  }
  return groups;
}

std::optional<Ranking> ranking(const std::vector<LayoutGroup>& groups) {
  if (groups.empty()) return std::nullopt;
  Ranking over{groups.size(), 0, 0};
  for (const LayoutGroup& group : groups) {
    over.mean_regret += group.regret / static_cast<double>(groups.size());
    over.most_regret = std::max(over.most_regret, group.regret);
  }
  return over;
}

}  // namespace spillway
