#include "sweep/plot/points.h"

#include <algorithm>

#include "base/printable.h"
#include "sweep/plot/description.h"
#include "sweep/table/axis.h"

namespace spillway {
namespace {

std::vector<std::string> texts_of(const std::vector<std::string>& values) {
  std::vector<std::string> texts;
  for (const std::string& value : values) texts.push_back(axis_text(value));
  return texts;
}

}  // namespace

void MetValues::add(const std::string& value) {
  if (met_.insert(value).second) list_.push_back(value);
}

PlotPoints::PlotPoints(const SweepHeading& heading, const PlotQuery& query)
    : heading_(heading),
      query_(query),
      all_(heading.axes.size()),
      drawn_(heading.axes.size()),
      clashing_(heading.axes.size()) {}

bool PlotPoints::is_asked_for(const std::vector<std::string>& values) const {
  return std::all_of(query_.at.begin(), query_.at.end(),
                     [&](const auto& at) { return same_axis_value(values[at.first], at.second); });
}

PlotPoints::Key PlotPoints::key_of(const std::vector<std::string>& values) const {
  return {values[query_.x], query_.second ? values[*query_.second] : ""};
}

void PlotPoints::add(const std::vector<std::string>& values, const PointOutcome* outcome) {
  for (std::size_t axis = 0; axis < values.size(); ++axis) all_[axis].add(values[axis]);
  if (!is_asked_for(values)) return;
  for (std::size_t axis = 0; axis < values.size(); ++axis) drawn_[axis].add(values[axis]);
  const auto [place, is_new] = places_.try_emplace(key_of(values), Place{values, {}});
  for (std::size_t axis = 0; axis < values.size(); ++axis)
    if (place->second.values[axis] != values[axis]) clashing_[axis] = true;
  if (is_new && outcome) put(place->second, *outcome);
  if (place->second.schedule.empty()) ++without_figure_;
}

void PlotPoints::put(Place& place, const PointOutcome& outcome) {
  const auto interval = figure_column(query_.metric).interval;
  for (const SweepRow& row : sweep_rows(heading_, place.values, outcome)) {
    if (row.schedule.empty()) continue;
    schedules_.add(row.schedule);
    if (row.is_baseline) baselines_.add(row.schedule);
    if (!row.unranked.empty()) unranked_.add(row.schedule);
    place.schedule[row.schedule] = {row[query_.metric], interval ? row[*interval].value_or(0) : 0,
                                    row.fits != false};
  }
}

std::optional<PictureCell> PlotPoints::cell(const std::string& x, const std::string& second,
                                            const std::string& schedule) const {
  const auto place = places_.find({x, second});
  if (place == places_.end()) return std::nullopt;
  const auto found = place->second.schedule.find(schedule);
  return found == place->second.schedule.end() ? PictureCell{} : found->second;
}

std::vector<std::string> PlotPoints::values(std::size_t axis) const {
  return in_order(drawn_[axis].list());
}

void PlotPoints::check_at(std::vector<Violation>& wrong) const {
  for (const auto& [axis, value] : query_.at) {
    const auto& known = all_[axis].list();
    const bool met = std::any_of(known.begin(), known.end(), [&, &asked = value](const std::string& v) {
      return same_axis_value(v, asked);
    });
    if (!met)
      wrong.push_back(wrong_option(
          "--at", "a value of " + heading_.axes[axis] + ": " + listed(texts_of(known)), in_quotes(value)));
  }
}

void PlotPoints::check_schedules(std::vector<Violation>& wrong) const {
  const auto& known = schedules_.list();
  for (const std::string& schedule : query_.schedules)
    if (std::find(known.begin(), known.end(), schedule) == known.end())
      wrong.push_back(wrong_option("--schedule", "one of " + listed(known), in_quotes(schedule)));
}

void PlotPoints::check_places(std::vector<Violation>& wrong) const {
  for (std::size_t axis = 0; axis < heading_.axes.size(); ++axis) {
    if (!clashing_[axis]) continue;
    const std::string& pointer = heading_.axes[axis];
    const std::vector<std::string> texts = texts_of(values(axis));
    wrong.push_back(wrong_option("--at",
                                 "one value of " + pointer + ", such as " + pointer + '=' + texts.front(),
                                 "several: " + listed(texts)));
  }
}

void PlotPoints::check_lines(std::vector<Violation>& wrong) const {
  constexpr std::size_t most = 20;
  if (!query_.second || query_.heat_map) return;
  const std::size_t lines = drawn_[*query_.second].list().size();
  if (lines > most)
    wrong.push_back(wrong_option(
        "--series", "an axis of at most " + std::to_string(most) + " values, or --y for a heat map",
        std::to_string(lines)));
}

bool PlotPoints::has_figure() const {
  return std::any_of(places_.begin(), places_.end(), [](const auto& place) {
    const auto& cells = place.second.schedule;
    return std::any_of(cells.begin(), cells.end(),
                       [](const auto& cell) { return cell.second.value.has_value(); });
  });
}

void PlotPoints::check() const {
  std::vector<Violation> wrong;
  check_at(wrong);
  if (wrong.empty() && schedules_.list().empty())
    wrong.push_back({"the store of " + heading_.name, "/", "a finished point",
                     "none among " + std::to_string(places_.size())});
  if (wrong.empty()) check_schedules(wrong);
  if (wrong.empty()) check_places(wrong);
  if (wrong.empty()) check_lines(wrong);
  if (wrong.empty() && !has_figure())
    wrong.push_back(wrong_option("--metric", "a figure that these points have",
                                 std::string(figure_column(query_.metric).name) + ", which is empty in all"));
  if (!wrong.empty()) throw InputError(wrong);
}

}  // namespace spillway
