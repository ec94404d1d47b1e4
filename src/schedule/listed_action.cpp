#include "schedule/listed_action.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"

namespace spillway {
namespace {

constexpr std::string_view kOverlap = "OVERLAP_F_B";

// The words between stage and microbatch, in the order of the search for the nearest word.
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

// "12SEND_F3" in parts: before, between and after; any part may be empty.
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
  const auto stage = number_from<std::uint32_t>(parts.stage);
  if (!kind || !stage) return std::nullopt;
  if (!has_microbatch(*kind))
    return parts.microbatch.empty() ? std::optional(ListedAction{*kind, *stage}) : std::nullopt;
  const auto microbatch = number_from<std::uint32_t>(parts.microbatch);
  return microbatch ? std::optional(ListedAction{*kind, *stage, *microbatch}) : std::nullopt;
}

// Parses "(0F7;7B3)OVERLAP_F_B".
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

std::optional<ListedAction> parse_action(std::string_view text) {
  return text.starts_with('(') ? overlap_from(text) : plain_from(text);
}

std::string nearest_action(std::string_view text) {
  if (text.find_first_of("(;)") != text.npos || text.find(kOverlap) != text.npos)
    return "an overlap of a forward and a whole backward such as (0F7;7B3)OVERLAP_F_B";
  std::vector<std::string_view> words;
  for (const auto& [word, kind] : kWords) words.push_back(word);
  const Parts parts = parts_of(text);
  std::string word(parts.word);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto stage = number_from<std::uint32_t>(parts.stage),
             microbatch = number_from<std::uint32_t>(parts.microbatch);
  const ListedKind kind = *kind_of(nearest(word, words));
  const ListedAction near{kind, stage.value_or(0), has_microbatch(kind) ? microbatch.value_or(0) : 0};
  return "an action such as " + to_string(near);
}

}  // namespace spillway
