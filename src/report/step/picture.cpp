#include "report/step/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "report/step/activity.h"
#include "words/duration_text.h"
#include "words/wording.h"

namespace spillway {
namespace {

// The marks that a character can show. Computing comes first: complete() sums the marks before kNetwork.
enum Mark : std::size_t {
  kEncoderForward,
  kEncoderBackward,
  kForward,
  kBackward,
  kWeightGradient,
  kOverlapped,
  kNetwork,
  kIdle,
  kMarks
};

struct MarkStyle {
  char letter;
  std::string_view colour;  // ANSI, Select Graphic Rendition: the nearest to that of words/colours.css
  std::string_view meaning;
};
constexpr std::array<MarkStyle, kMarks> kStyles = {{
    {'e', "32", "encoder forward"},
    {'b', "35", "encoder backward"},
    {'F', "34", "forward"},
    {'B', "33", "backward"},
    {'W', "93", "weight gradient of a split backward"},
    {'X', "96", "forward and backward together"},
    {'-', "90", "transfer or reduction without computing"},
    {'.', "2", "idle"},
}};

Mark mark_of(Activity activity) {
  switch (activity) {
    case Activity::EncoderForward:
      return kEncoderForward;
    case Activity::EncoderBackward:
      return kEncoderBackward;
    case Activity::Forward:
      return kForward;
    case Activity::Backward:
      return kBackward;
    case Activity::WeightGradient:
      return kWeightGradient;
    case Activity::Overlapped:
      return kOverlapped;
    default:
      return kNetwork;
  }
}

// The share of one slice of time that each mark takes, from 0 to 1.
using Cell = std::array<double, kMarks>;

// Transfers count only for the part of a slice that computing leaves free. The rest of the slice is idle.
void complete(Cell& cell) {
  const double computing = std::accumulate(cell.begin(), cell.begin() + kNetwork, 0.0);
  cell[kNetwork] = std::min(cell[kNetwork], std::max(0.0, 1 - computing));
  cell[kIdle] = 1 - computing - cell[kNetwork];
}

// Error diffusion: each slice shows the mark with the largest share not yet shown, among the marks in the
// slice.
std::vector<Mark> marks_of(const std::vector<Cell>& cells) {
  constexpr double occurs = 0.01;  // the least share of a slice with which a mark counts as in it
  Cell owed{};
  std::vector<Mark> marks;
  for (const Cell& cell : cells) {
    std::size_t most = kIdle;
    for (std::size_t mark = 0; mark < kMarks; ++mark) {
      owed[mark] += cell[mark];
      if (cell[mark] > occurs && (cell[most] <= occurs || owed[mark] > owed[most])) most = mark;
    }
    owed[most] -= 1;
    marks.push_back(static_cast<Mark>(most));
  }
  return marks;
}

class Picture {
 public:
  Picture(const ScheduleResult& schedule, ReplicaId replica, Seconds span, std::size_t width)
      : derived_(*schedule.derived),
        timeline_(schedule.first.timeline),
        lane_(replica.index()),
        slice_(span / static_cast<double>(width)),
        width_(static_cast<std::size_t>(std::ceil(schedule.first.timeline.makespan() / slice_ - 1e-9))) {}

  std::vector<Mark> row(RankId rank) const {
    std::vector<Cell> cells(width_, Cell{});
    for (EventId id : derived_.order.nodes(rank)) add(id, cells);
    for (Cell& cell : cells) complete(cell);
    return marks_of(cells);
  }

 private:
  void add(EventId id, std::vector<Cell>& cells) const {
    const Mark mark = mark_of(activity_of(derived_, derived_.order.event(id)));
    const double start = timeline_.start.at(id, lane_) / slice_;
    const double end = timeline_.end.at(id, lane_) / slice_;
    const auto last = std::min(cells.size(), static_cast<std::size_t>(std::ceil(end)));
    for (auto cell = static_cast<std::size_t>(start); cell < last; ++cell) {
      const auto left = static_cast<double>(cell);
      cells[cell][mark] += std::min(end, left + 1) - std::max(start, left);
    }
  }

  const Derived& derived_;
  const Timeline& timeline_;
  std::uint32_t lane_;
  Seconds slice_;
  std::size_t width_;
};

std::string painted(const std::vector<Mark>& marks, bool colour) {
  std::string text;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const MarkStyle& style = kStyles[marks[i]];
    if (colour && (i == 0 || marks[i] != marks[i - 1])) text += fmt::format("\033[0;{}m", style.colour);
    text += style.letter;
  }
  return colour ? text + "\033[0m" : text;
}

constexpr std::size_t kLabel = 9;  // "rank 123 "

std::string time_axis(Seconds span, std::size_t width) {
  const std::string right = duration_text(span);
  return fmt::format("  {:<{}}0 s{:>{}}\n", "", kLabel, right, width - 3);
}

}  // namespace

std::vector<RankId> shown_ranks(std::uint32_t rank_count, std::uint32_t most) {
  const std::uint32_t shown = std::min(rank_count, most);
  std::vector<RankId> ranks;
  for (std::uint32_t i = 0; i < shown; ++i)
    ranks.emplace_back(
        shown == 1 ? 0 : static_cast<std::uint32_t>(std::uint64_t{i} * (rank_count - 1) / (shown - 1)));
  return ranks;
}

std::string picture(const ScheduleResult& schedule, ReplicaId replica, Seconds span, const TextStyle& style) {
  const std::size_t width = std::max<std::size_t>(style.columns, 40) - kLabel - 2;
  const Picture picture(schedule, replica, span, width);
  std::string text = time_axis(span, width);
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count()))
    text += fmt::format("  rank {:<3} {}\n", rank.index(), painted(picture.row(rank), style.colour));
  return text;
}

std::string picture_legend(std::size_t columns) {
  std::string text;
  for (const MarkStyle& style : kStyles)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", style.letter, style.meaning);
  return wrapped("picture      ", text, columns);
}

}  // namespace spillway
