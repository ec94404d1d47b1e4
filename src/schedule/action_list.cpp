#include "schedule/action_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/nearest.h"

namespace spillway {
namespace {

constexpr std::size_t kMostViolations = 500;
constexpr std::string_view kOverlap = "OVERLAP_F_B";

// The words between stage and microbatch, in the order in which a misspelling looks for the nearest.
constexpr std::array<std::pair<std::string_view, ListedKind>, 11> kWords{{
    {"F", ListedKind::Forward},
    {"B", ListedKind::Backward},
    {"I", ListedKind::BackwardInput},
    {"W", ListedKind::BackwardWeight},
    {"SEND_F", ListedKind::SendForward},
    {"RECV_F", ListedKind::ReceiveForward},
    {"SEND_B", ListedKind::SendBackward},
    {"RECV_B", ListedKind::ReceiveBackward},
    {"UNSHARD", ListedKind::Unshard},
    {"RESHARD", ListedKind::Reshard},
    {"REDUCE_GRAD", ListedKind::ReduceGradients},
}};

bool has_microbatch(ListedKind kind) {
  return kind < ListedKind::Unshard;
}

std::string_view word_of(ListedKind kind) {
  for (const auto& [word, its_kind] : kWords)
    if (its_kind == kind) return word;
  throw ContractBreach("unknown kind of action");
}

std::optional<ListedKind> kind_of(std::string_view word) {
  for (const auto& [its_word, kind] : kWords)
    if (its_word == word) return kind;
  return std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::uint32_t> number_from(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

// "12SEND_F3" apart: what stands before, between and after; any of them may be empty.
struct Parts {
  std::string_view stage;
  std::string_view word;
  std::string_view microbatch;
};

Parts parts_of(std::string_view cell) {
  const auto word =
      static_cast<std::size_t>(std::find_if_not(cell.begin(), cell.end(), is_digit) - cell.begin());
  const auto digits = std::find_if_not(cell.rbegin(), cell.rend(), is_digit) - cell.rbegin();
  const std::size_t end = std::max(word, cell.size() - static_cast<std::size_t>(digits));
  return {cell.substr(0, word), cell.substr(word, end - word), cell.substr(end)};
}

std::optional<ListedAction> plain_from(std::string_view cell) {
  const Parts parts = parts_of(cell);
  const auto kind = kind_of(parts.word);
  const auto stage = number_from(parts.stage);
  if (!kind || !stage) return std::nullopt;
  if (!has_microbatch(*kind))
    return parts.microbatch.empty() ? std::optional(ListedAction{*kind, *stage}) : std::nullopt;
  const auto microbatch = number_from(parts.microbatch);
  return microbatch ? std::optional(ListedAction{*kind, *stage, *microbatch}) : std::nullopt;
}

// "(0F7;7B3)OVERLAP_F_B".
std::optional<ListedAction> overlap_from(std::string_view cell) {
  const std::size_t middle = cell.find(';'), end = cell.find(')');
  if (!cell.starts_with('(') || middle == cell.npos || end == cell.npos || end < middle) return std::nullopt;
  if (cell.substr(end + 1) != kOverlap) return std::nullopt;
  const auto forward = plain_from(cell.substr(1, middle - 1));
  const auto backward = plain_from(cell.substr(middle + 1, end - middle - 1));
  const bool fits =
      forward && backward && forward->kind == ListedKind::Forward && backward->kind == ListedKind::Backward;
  if (!fits) return std::nullopt;
  return ListedAction{ListedKind::ForwardBackward, forward->stage, forward->microbatch, backward->stage,
                      backward->microbatch};
}

std::optional<ListedAction> action_from(std::string_view cell) {
  return cell.starts_with('(') ? overlap_from(cell) : plain_from(cell);
}

// What a cell that is no action was probably meant to be.
std::string nearest_action(std::string_view cell) {
  if (cell.find_first_of("(;)") != cell.npos || cell.find(kOverlap) != cell.npos)
    return "an overlap of a forward and a whole backward such as (0F7;7B3)OVERLAP_F_B";
  std::vector<std::string_view> words;
  for (const auto& [word, kind] : kWords) words.push_back(word);
  const Parts parts = parts_of(cell);
  std::string word(parts.word);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto stage = number_from(parts.stage), microbatch = number_from(parts.microbatch);
  const ListedKind kind = *kind_of(nearest(word, words));
  const ListedAction near{kind, stage.value_or(0), has_microbatch(kind) ? microbatch.value_or(0) : 0};
  return "an action such as " + to_string(near);
}

// As a message shows it: short, and nothing in it that a terminal obeys.
std::string shown(std::string_view cell) {
  constexpr std::size_t longest = 40;
  std::string text(cell.substr(0, longest));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + text + (cell.size() > longest ? "..." : "") + '"';
}

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
    std::optional<ListedAction> action = action_from(cell);
    if (!action)
      violations_.push_back({"", cell_pointer(lists_.rows.size(), slot), nearest_action(cell), shown(cell)});
    return action;
  }

  ActionLists lists_;
  std::vector<Violation> violations_;
};

}  // namespace

std::string to_string(const ListedAction& action) {
  if (action.kind == ListedKind::ForwardBackward) {
    const ListedAction forward{ListedKind::Forward, action.stage, action.microbatch};
    const ListedAction backward{ListedKind::Backward, action.backward_stage, action.backward_microbatch};
    return '(' + to_string(forward) + ';' + to_string(backward) + ')' + std::string(kOverlap);
  }
  const std::string text = std::to_string(action.stage) + std::string(word_of(action.kind));
  return has_microbatch(action.kind) ? text + std::to_string(action.microbatch) : text;
}

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
