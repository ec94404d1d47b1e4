#include "schedule/action_list.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"

namespace spillway {
namespace {

constexpr std::size_t kMostViolations = 500;
constexpr std::size_t kLongestShown = 40;

std::string_view stripped(std::string_view cell) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == cell.npos) return {};
  cell = cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

class Reader {
 public:
  void read_row(std::string_view line) {
    ActionRow row;
    for (std::size_t begin = 0; begin <= line.size() && !line.empty();) {
      const std::size_t comma = std::min(line.find(',', begin), line.size());
      row.push_back(read_cell(stripped(line.substr(begin, comma - begin)), row.size()));
      begin = comma + 1;
    }
    lists_.rows.push_back(std::move(row));
  }

  bool overflows() const { return violations_.size() > kMostViolations; }

  std::variant<ActionLists, std::vector<Violation>> result(bool carriage_returns) && {
    if (overflows())
      violations_.back() = {"", "/", "at most " + std::to_string(kMostViolations) + " wrong actions", "more"};
    if (!violations_.empty()) return std::move(violations_);
    lists_.carriage_returns = carriage_returns;
    return std::move(lists_);
  }

 private:
  std::optional<ListedAction> read_cell(std::string_view cell, std::size_t slot) {
    if (cell.empty() || overflows()) return std::nullopt;
    std::optional<ListedAction> action = parse_action(cell);
    if (!action)
      violations_.push_back(
          {"", cell_pointer(lists_.rows.size(), slot), nearest_action(cell), in_quotes(cell, kLongestShown)});
    return action;
  }

  ActionLists lists_;
  std::vector<Violation> violations_;
};

}  // namespace

std::string to_string(const ActionLists& lists) {
  std::string text;
  for (const ActionRow& row : lists.rows) {
    if (row.size() == 1 && !row[0]) text += "\"\"";
    for (std::size_t slot = 0; slot < row.size(); ++slot) {
      if (slot > 0) text += ',';
      if (row[slot]) text += to_string(*row[slot]);
    }
    text += lists.carriage_returns ? "\r\n" : "\n";
  }
  return text;
}

std::string cell_pointer(std::size_t rank, std::size_t slot) {
  return '/' + std::to_string(rank) + '/' + std::to_string(slot);
}

std::variant<ActionLists, std::vector<Violation>> parse_action_lists(std::string_view text) {
  const std::size_t first_end = text.find('\n');
  const bool carriage_returns = first_end != text.npos && first_end > 0 && text[first_end - 1] == '\r';
  Reader reader;
  while (!text.empty() && !reader.overflows()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read_row(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(reader).result(carriage_returns);
}

}  // namespace spillway
