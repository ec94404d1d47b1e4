#include "schedule/action_list.h"

#include <algorithm>
#include <utility>

#include "base/csv.h"
#include "base/findings.h"
#include "base/printable.h"
#include "schedule/list_checks.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestShown = 40;

class Reader {
 public:
  void read_row(std::string_view line) {
    ActionRow row;
    split_csv(line, cells_);
    if (line.empty()) cells_.clear();
    for (const std::string_view cell : cells_) row.push_back(read_cell(cell, row.size()));
    lists_.rows.push_back(std::move(row));
  }

  std::variant<ActionLists, std::vector<Violation>> result(bool carriage_returns) && {
    if (!findings_.empty()) return findings_.listed();
    lists_.carriage_returns = carriage_returns;
    return std::move(lists_);
  }

 private:
  std::optional<ListedAction> read_cell(std::string_view cell, std::size_t slot) {
    if (cell.empty()) return std::nullopt;
    std::optional<ListedAction> action = parse_action(cell);
    if (!action && findings_.is_full()) findings_.count_one_more();
    if (!action && !findings_.is_full())
      findings_.add(cell_pointer(lists_.rows.size(), slot), nearest_action(cell),
                    in_quotes(cell, kLongestShown));
    return action;
  }

  ActionLists lists_;
  Findings findings_{"", kMostWrongActions};
  std::vector<std::string_view> cells_;  // of the row
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
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read_row(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(reader).result(carriage_returns);
}

}  // namespace spillway
