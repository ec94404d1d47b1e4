#include "sweep/plot/query.h"

#include <algorithm>
#include <string_view>

#include "base/nearest.h"
#include "base/printable.h"

namespace spillway {
namespace {

std::string nearest_of(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return in_quotes(nearest(word, views));
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (SweepFigure figure : all_sweep_figures()) names.emplace_back(figure_column(figure).name);
  return names;
}

class Resolver {
 public:
  Resolver(const SweepHeading& heading, const PlotRequest& request) : heading_(heading), request_(request) {}

  PlotQuery run() {
    PlotQuery query{x(), second(), !request_.y.empty(), metric(), at(), request_.schedules};
    if (wrong_.empty() && query.second == query.x)
      refuse(second_option(), "another axis than --x", in_quotes(request_.x));
    check_schedules(query);
    check_output();
    if (!wrong_.empty()) throw InputError(wrong_);
    return query;
  }

 private:
  void refuse(const std::string& option, const std::string& expected, const std::string& found) {
    wrong_.push_back(wrong_option(option, expected, found));
  }

  std::size_t axis(const std::string& option, const std::string& pointer) {
    const auto& axes = heading_.axes;
    const auto found = std::find(axes.begin(), axes.end(), pointer);
    if (found != axes.end()) return static_cast<std::size_t>(found - axes.begin());
    refuse(option,
           axes.empty() ? "a sweep with axes" : "an axis of the sweep, such as " + nearest_of(pointer, axes),
           in_quotes(pointer));
    return 0;
  }

  std::size_t x() {
    if (!request_.x.empty() || heading_.axes.size() == 1)
      return request_.x.empty() ? 0 : axis("--x", request_.x);
    refuse("--x", heading_.axes.empty() ? "a sweep with axes" : "one of " + listed(heading_.axes), "nothing");
    return 0;
  }

  std::string second_option() const { return request_.y.empty() ? "--series" : "--y"; }

  std::optional<std::size_t> second() {
    if (!request_.y.empty() && !request_.series.empty())
      refuse("--series", "lines, or with --y a heat map", "both");
    if (request_.y.empty() && request_.series.empty()) return std::nullopt;
    return axis(second_option(), request_.y.empty() ? request_.series : request_.y);
  }

  SweepFigure metric() {
    const auto figure = sweep_figure(request_.metric);
    if (!figure)
      refuse("--metric", "a column of figures, such as " + nearest_of(request_.metric, metric_names()),
             in_quotes(request_.metric));
    return figure.value_or(SweepFigure::SpeedupMean);
  }

  std::vector<std::pair<std::size_t, std::string>> at() {
    std::vector<std::pair<std::size_t, std::string>> fixed;
    for (const auto& [pointer, value] : request_.at) fixed.emplace_back(axis("--at", pointer), value);
    return fixed;
  }

  void check_schedules(const PlotQuery& query) {
    if (query.of_one_schedule() && query.schedules.size() > 1)
      refuse("--schedule", "one schedule for a picture of two axes", listed(query.schedules));
  }

  void check_output() {
    const std::string ending = request_.output.extension().string();
    if (ending != ".svg" && ending != ".png")
      refuse("--out", "a file that ends in .svg or .png",
             in_quotes(request_.output.string(), std::string::npos));
  }

  const SweepHeading& heading_;
  const PlotRequest& request_;
  std::vector<Violation> wrong_;
};

}  // namespace

PlotQuery plot_query(const SweepHeading& heading, const PlotRequest& request) {
  return Resolver(heading, request).run();
}

Violation wrong_option(const std::string& option, const std::string& expected, const std::string& found) {
  return {"command line", option, expected, found};
}

std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i > 0 ? ", " : "") + words[i];
  return words.size() > most ? text + ", ..." : text;
}

}  // namespace spillway
