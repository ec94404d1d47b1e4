#include <algorithm>

#include "schedule/waiting.h"

namespace spillway {
namespace {

using Line = std::vector<std::string>;

// The action without the word OVERLAP_F_B, which the parentheses imply.
std::string short_text(const ActionLists& lists, Cell cell) {
  const std::string text = to_string(*lists.rows[cell.rank][cell.slot]);
  return text.substr(0, text.find("OVERLAP"));
}

// The computing slots of a row: up to `reach` before `slot`, `slot` itself, and up to `reach` after it.
struct Window {
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> behind;
};

Window window_around(const ActionRow& row, std::uint32_t slot, std::size_t reach) {
  const auto computes = [&](std::uint32_t s) { return row[s] && row[s]->computes(); };
  Window window;
  for (std::uint32_t s = slot; s-- > 0 && window.before.size() < reach;)
    if (computes(s)) window.before.insert(window.before.begin(), s);
  for (std::uint32_t s = slot + 1; s < row.size() && window.behind.size() < reach; ++s)
    if (computes(s)) window.behind.push_back(s);
  return window;
}

// The line of one rank: its place, `reach` cells, the cell in which it waits, `reach` cells, the awaited cell
// if it is farther on, and the action that it waits for.
Line line_of(const ActionLists& lists, const ListWait& wait, Cell awaited, std::size_t reach) {
  const std::uint32_t rank = wait.waiting.rank, slot = wait.waiting.slot;
  const Window window = window_around(lists.rows[rank], slot, reach);
  const auto cell = [&](std::uint32_t s) {
    const std::string text = short_text(lists, {rank, s});
    if (s == slot) return '[' + text + ']';
    return s == awaited.slot ? '<' + text + '>' : ' ' + text + ' ';
  };
  Line line{"rank " + std::to_string(rank) + ", slot " + std::to_string(slot)};
  line.resize(line.size() + reach - window.before.size());
  for (std::uint32_t s : window.before) line.push_back(cell(s));
  line.push_back(cell(slot));
  for (std::uint32_t s : window.behind) line.push_back(cell(s));
  line.resize(2 + 2 * reach);
  const bool farther = awaited.slot > (window.behind.empty() ? slot : window.behind.back());
  line.push_back(farther ? "... " + cell(awaited.slot) : "");
  line.push_back("waits for " + short_text(lists, wait.awaited));
  return line;
}

// Aligns columns at the width of their widest cell, with a blank between; drops empty columns.
std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines[0].size(), 0);
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (widths[i] > 0) row += line[i] + std::string(widths[i] - line[i].size() + 1, ' ');
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

}  // namespace

std::string circle_picture(const ActionLists& lists, const std::vector<ListWait>& circle,
                           std::size_t columns) {
  std::string picture;
  for (std::size_t reach = 3; reach-- > 0;) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const ListWait& previous = circle[(i + circle.size() - 1) % circle.size()];
      lines.push_back(line_of(lists, circle[i], previous.awaited, reach));
    }
    picture = aligned(lines);
    if (width_of(picture) <= columns) break;
  }
  return picture;
}

}  // namespace spillway
