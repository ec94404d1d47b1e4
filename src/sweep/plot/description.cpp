#include "sweep/plot/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "sweep/plot/scale.h"
#include "sweep/table/axis.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

bool met(const MetValues& values, const std::string& value) {
  return std::ranges::find(values.list(), value) != values.list().end();
}

Json axis_json(const std::string& pointer, const std::vector<std::string>& given, std::size_t along) {
  const std::vector<std::string> values = in_order(given);
  const PictureAxis axis = picture_axis(pointer, values);
  Json described = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i)
    described.push_back({{"value", undumped(values[i])}, {"text", axis.values[i]}});
  const bool numeric = !axis.numbers.empty();
  return {{"pointer", pointer},
          {"label", axis.label},
          {"values", std::move(described)},
          {"numeric", numeric},
          {"logarithmic", numeric && AxisScale::by_value(axis).is_logarithmic()},
          {"along", along}};
}

Json figure_json(SweepFigure figure, const std::string& baseline) {
  const FigureColumn& column = figure_column(figure);
  return {{"name", column.name},
          {"label", figure_label(figure, baseline)},
          {"meaning", column.meaning},
          {"interval", column.interval ? Json(figure_column(*column.interval).name) : Json()},
          {"level", column.of_the_baseline ? Json(*column.of_the_baseline) : Json()}};
}

}  // namespace

std::vector<std::string> in_order(std::vector<std::string> values) {
  const auto is_number = [](const std::string& value) { return axis_number(value).has_value(); };
  if (std::ranges::all_of(values, is_number))
    std::ranges::stable_sort(values, {}, [](const std::string& value) { return *axis_number(value); });
  return values;
}

PictureAxis picture_axis(const std::string& pointer, const std::vector<std::string>& values) {
  PictureAxis axis{axis_label(pointer), {}, {}};
  for (const std::string& value : values) {
    axis.values.push_back(axis_text(value));
    if (const auto number = axis_number(value)) axis.numbers.push_back(*number);
  }
  if (axis.numbers.size() != values.size()) axis.numbers.clear();
  return axis;
}

std::string shown_schedule(const std::string& name, bool ranked) {
  return ranked ? name : name + " (not ranked)";
}

std::string figure_words(SweepFigure figure, const std::string& baseline) {
  const std::string against = baseline.empty() ? "the baseline" : baseline;
  if (figure == SweepFigure::SpeedupMean) return "speedup over " + against;
  if (figure == SweepFigure::DifferenceMean) return "makespan minus that of " + against;
  return figure_column(figure).label;
}

std::string figure_label(SweepFigure figure, const std::string& baseline) {
  const std::string unit = figure_column(figure).unit;
  return figure_words(figure, baseline) + (unit.empty() ? "" : " (" + unit + ')');
}

std::string makespans_text(const SweepHeading& heading) {
  const std::string text =
      std::string("makespans ") + (heading.reports_replays ? "by SimGrid" : "by the longest path");
  return heading.draws > 1 ? text + fmt::format("; seed {}", heading.seed) : text;
}

void SweepDescription::add(const std::vector<std::string>& values, const PointOutcome* outcome) {
  for (std::size_t axis = 0; axis < values.size(); ++axis) values_[axis].add(values[axis]);
  points_.push_back(values);
  if (!outcome) return;
  for (const SweepRow& row : sweep_rows(heading_, values, *outcome)) {
    if (row.schedule.empty()) continue;
    schedules_.add(row.schedule);
    if (row.is_baseline) baselines_.add(row.schedule);
    if (!row.unranked.empty()) unranked_.add(row.schedule);
    for (const SweepFigure figure : all_sweep_figures())
      if (row[figure]) figures_.insert(figure);
  }
}

bool SweepDescription::pairs(std::size_t one, std::size_t other) const {
  std::map<std::string, std::string> forth, back;
  return std::ranges::all_of(points_, [&](const std::vector<std::string>& values) {
    const std::string &a = values[one], &b = values[other];
    return forth.try_emplace(a, b).first->second == b && back.try_emplace(b, a).first->second == a;
  });
}

std::size_t SweepDescription::goes_along_with(std::size_t axis) const {
  for (std::size_t before = 0; before < axis; ++before)
    if (values_[axis].list().size() > 1 && pairs(before, axis)) return before;
  return axis;
}

std::string SweepDescription::json() const {
  Json axes = Json::array(), schedules = Json::array(), figures = Json::array();
  for (std::size_t i = 0; i < heading_.axes.size(); ++i)
    axes.push_back(axis_json(heading_.axes[i], values_[i].list(), goes_along_with(i)));
  for (const std::string& name : schedules_.list())
    schedules.push_back({{"name", name},
                         {"shown", shown_schedule(name, !met(unranked_, name))},
                         {"baseline", met(baselines_, name)}});
  const bool one = baselines_.list().size() == 1;
  const std::string baseline =
      one ? shown_schedule(baselines_.list().front(), !met(unranked_, baselines_.list().front())) : "";
  for (const SweepFigure figure : figures_) figures.push_back(figure_json(figure, baseline));
  return dumped(Json{{"axes", std::move(axes)},
                     {"schedules", std::move(schedules)},
                     {"figures", std::move(figures)},
                     {"note", makespans_text(heading_)}});
}

}  // namespace spillway
