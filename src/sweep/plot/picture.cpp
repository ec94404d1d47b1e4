#include "sweep/plot/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sweep/plot/description.h"
#include "sweep/table/axis.h"
#include "words/wording.h"

namespace spillway {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_misfit(const std::optional<PictureCell>& cell) {
  return cell && cell->is_misfit();
}

class PictureMaker {
 public:
  PictureMaker(const SweepHeading& heading, const PlotQuery& query, const PlotPoints& points)
      : heading_(heading), query_(query), points_(points), column_(figure_column(query.metric)) {}

  SweepPicture run() const {
    const std::vector<std::string> xs = points_.values(query_.x), groups = group_values();
    SweepPicture picture{query_.heat_map,
                         query_.metric,
                         heading_.name,
                         "",
                         "",
                         figure_label(query_.metric, baseline()),
                         undrawn_baseline(groups),
                         axis(query_.x, xs),
                         group_axis(groups),
                         {}};
    for (const std::string& group : groups)
      for (const std::string& x : xs) picture.cells.push_back(cell(x, group));
    picture.subtitle = subtitle(groups, picture.has_intervals());
    picture.caption = caption(picture.misfits());
    return picture;
  }

 private:
  PictureAxis axis(std::size_t index, const std::vector<std::string>& values) const {
    return picture_axis(heading_.axes[index], values);
  }

  std::vector<std::string> group_values() const {
    return query_.second ? points_.values(*query_.second) : drawn_schedules();
  }

  PictureAxis group_axis(const std::vector<std::string>& groups) const {
    if (query_.second) return axis(*query_.second, groups);
    PictureAxis schedules{"", {}, {}};
    for (const std::string& schedule : groups) schedules.values.push_back(shown(schedule));
    return schedules;
  }

  std::optional<PictureCell> cell(const std::string& x, const std::string& group) const {
    return query_.second ? points_.cell(x, group, one_schedule()) : points_.cell(x, "", group);
  }

  // Leaves out a baseline whose value is constant by definition, unless it is the only schedule.
  std::vector<std::string> drawn_schedules() const {
    if (!query_.schedules.empty()) return query_.schedules;
    std::vector<std::string> drawn;
    for (const std::string& schedule : points_.schedules())
      if (!column_.of_the_baseline || !contains(points_.baselines(), schedule)) drawn.push_back(schedule);
    return drawn.empty() ? points_.schedules() : drawn;
  }

  std::string one_schedule() const {
    if (!query_.schedules.empty()) return query_.schedules.front();
    for (const std::string& schedule : points_.schedules())
      if (!contains(points_.baselines(), schedule) && !contains(points_.unranked(), schedule))
        return schedule;
    return points_.schedules().front();
  }

  std::string shown(const std::string& schedule) const {
    return shown_schedule(schedule, !contains(points_.unranked(), schedule));
  }

  std::string undrawn_baseline(const std::vector<std::string>& groups) const {
    const std::vector<std::string>& baselines = points_.baselines();
    const bool drawn =
        query_.second ? one_schedule() == baselines.front() : contains(groups, baselines.front());
    return baselines.size() > 1 || drawn ? "" : baselines.front();
  }

  // Empty if there are several.
  std::string baseline() const {
    return points_.baselines().size() == 1 ? shown(points_.baselines().front()) : "";
  }

  // Returns text such as "mpipe: speedup over megatron, mean of 64 draws, bars: 95 % interval of the mean".
  std::string subtitle(const std::vector<std::string>& groups, bool intervals) const {
    std::string text = query_.second        ? shown(one_schedule()) + ": "
                       : groups.size() == 1 ? shown(groups.front()) + ": "
                                            : "";
    text += figure_words(query_.metric, baseline());
    const bool mean = std::string_view(column_.name).ends_with("_mean");
    if (heading_.draws > 1) text += (mean ? ", mean of " : ", ") + counted(heading_.draws, "draw");
    if (intervals && !query_.heat_map) text += ", bars: 95 % interval of the mean";
    return text;
  }

  static std::string short_text(const std::string& value) {
    const std::optional<double> number = axis_number(value);
    return number ? fmt::format("{:.4g}", *number) : axis_text(value);
  }

  // The axes that are not drawn: those with one value, and those that vary along with a drawn one.
  std::string others() const {
    std::string text;
    for (std::size_t i = 0; i < heading_.axes.size(); ++i) {
      if (i == query_.x || i == query_.second) continue;
      const std::vector<std::string> values = points_.values(i);
      text += axis_label(heading_.axes[i]) +
              (values.size() == 1 ? " = " + short_text(values.front()) : " goes along") + "; ";
    }
    return text;
  }

  std::string caption(std::size_t misfits) const {
    std::string text = others() + makespans_text(heading_);
    if (points_.without_figure() > 0)
      text += fmt::format("; {}: {} refused or not finished", query_.heat_map ? "grey" : "left out",
                          counted(points_.without_figure(), "point"));
    if (misfits > 0)
      text += fmt::format("; {}: {} would not fit in memory", query_.heat_map ? "hatched" : "hollow",
                          counted(misfits, "step"));
    return text;
  }

  const SweepHeading& heading_;
  const PlotQuery& query_;
  const PlotPoints& points_;
  const FigureColumn& column_;
};

}  // namespace

std::size_t SweepPicture::misfits() const {
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), is_misfit));
}

bool SweepPicture::has_misfits(std::size_t group) const {
  const auto first = cells.begin() + static_cast<std::ptrdiff_t>(group * x.values.size());
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(x.values.size()), is_misfit);
}

bool SweepPicture::has_intervals() const {
  return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell && cell->interval > 0; });
}

SweepPicture picture_of(const SweepHeading& heading, const PlotQuery& query, const PlotPoints& points) {
  return PictureMaker(heading, query, points).run();
}

}  // namespace spillway
