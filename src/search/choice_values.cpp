#include "search/choice_values.h"

#include <algorithm>
#include <limits>
#include <map>

#include "search/plan_choice.h"

namespace spillway {

ChoiceValues::ChoiceValues(const PlanJob& job, const std::vector<PlanLayout>& layouts, std::size_t shown)
    : shown_(shown) {
  const PlanChoices choices(job);
  std::map<PlanLayout, std::size_t> known;
  for (const PlanLayout& layout : layouts)
    choice_of_.push_back(known.emplace(choices.of(layout), known.size()).first->second);
  least_.resize(known.size());
}

void ChoiceValues::add(std::size_t layout, double value) {
  std::optional<double>& least = least_[choice_of_[layout]];
  least = std::min(value, least.value_or(value));
  last_shown_.reset();
}

// The value of the last choice that is shown; more than any value if all found ones are shown.
double ChoiceValues::last_shown() {
  if (last_shown_) return *last_shown_;
  std::vector<double> values;
  for (const std::optional<double>& least : least_)
    if (least) values.push_back(*least);
  if (values.size() < shown_) return *(last_shown_ = std::numeric_limits<double>::infinity());
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(shown_ - 1));
  return *(last_shown_ = values[shown_ - 1]);
}

double ChoiceValues::reach(std::size_t layout, double near) {
  const double shown = last_shown();
  const std::optional<double>& least = least_[choice_of_[layout]];
  return least && *least <= shown ? *least * near : shown;
}

}  // namespace spillway
