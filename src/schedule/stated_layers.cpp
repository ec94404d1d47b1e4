#include "schedule/stated_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/number.h"
#include "schedule/action_list.h"
#include "schedule/list_checks.h"

namespace spillway {
namespace {

constexpr std::string_view kOpen = " [layers=";

// The stage to which a cell's layers belong; none for an overlap.
std::optional<std::uint32_t> stage_of(std::string_view cell) {
  const auto action = parse_action(cell);
  const bool alone = action && action->computes() && action->kind != ListedKind::ForwardBackward;
  return alone ? std::optional(action->stage) : std::nullopt;
}

// Rewrites each cell of the text; the text between cells does not change.
template <class Rewrite>
std::string rewritten(std::string_view text, Rewrite rewrite) {
  std::string all;
  std::size_t rank = 0, slot = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\r\n", begin), text.size());
    all += rewrite(text.substr(begin, end - begin), rank, slot);
    if (end == text.size()) break;
    all += text[end];
    if (text[end] == ',') ++slot;
    if (text[end] == '\n') ++rank, slot = 0;
    begin = end + 1;
  }
  return all;
}

class Apart {
 public:
  std::string take(std::string_view cell, std::size_t rank, std::size_t slot) {
    const std::size_t open = cell.find(kOpen);
    const std::string_view action = cell.substr(0, open);
    const std::optional<std::uint32_t> stage = stage_of(action);
    if (stage) stages_.insert(*stage);
    if (open == cell.npos) return std::string(cell);
    if (parse_action(action))
      note(action, stage, cell.substr(open + kOpen.size()), cell_pointer(rank, slot));
    else
      unreadable_ = true;  // the reader of the actions reports the error
    return std::string(action);
  }

  std::variant<ListText, std::vector<Violation>> result(std::string actions) && {
    if (!said_.empty() && violations_.empty() && !unreadable_) require_all();
    if (!violations_.empty()) return std::move(violations_);
    std::vector<std::uint32_t> layers;
    for (const auto& [stage, number] : said_) layers.push_back(number);
    return ListText{std::move(actions), std::move(layers)};
  }

 private:
  void note(std::string_view action, std::optional<std::uint32_t> stage, std::string_view rest,
            const std::string& pointer) {
    const bool closed = rest.ends_with(']');
    const auto layers = closed ? number_from<std::uint32_t>(rest.substr(0, rest.size() - 1)) : std::nullopt;
    if (!stage || layers.value_or(0) == 0) {
      violations_.push_back({"", pointer, "only the layers of an action's stage, such as 2F0 [layers=5]",
                             stage ? "another text in brackets" : "them behind " + std::string(action)});
      return;
    }
    const std::uint32_t first = said_.try_emplace(*stage, *layers).first->second;
    if (first == *layers) return;
    violations_.push_back(
        {"", pointer,
         "as many layers of stage " + std::to_string(*stage) + " as before (" + std::to_string(first) + ')',
         std::to_string(*layers)});
  }

  void require_all() {
    std::vector<std::string> silent;
    for (const std::uint32_t stage : stages_)
      if (!said_.contains(stage)) silent.push_back(std::to_string(stage));
    if (silent.empty()) return;
    const std::size_t named = std::min(silent.size(), kMostNamed), more = silent.size() - named;
    silent.resize(named);
    violations_.push_back({"", "/", "the number of layers of every stage, or of none",
                           "nothing of stage " + enumerated(silent, more)});
  }

  std::set<std::uint32_t> stages_;
  std::map<std::uint32_t, std::uint32_t> said_;
  std::vector<Violation> violations_;
  bool unreadable_ = false;
};

}  // namespace

std::string with_stated_layers(std::string_view actions, const std::vector<std::uint32_t>& by_stage) {
  std::vector<bool> said(by_stage.size());
  return rewritten(actions, [&](std::string_view cell, std::size_t, std::size_t) {
    const std::optional<std::uint32_t> stage = stage_of(cell);
    if (!stage || said[*stage]) return std::string(cell);
    said[*stage] = true;
    return std::string(cell) + std::string(kOpen) + std::to_string(by_stage[*stage]) + ']';
  });
}

std::variant<ListText, std::vector<Violation>> without_stated_layers(std::string_view text) {
  if (text.find(kOpen) == text.npos) return ListText{std::string(text), {}};
  Apart apart;
  std::string actions = rewritten(text, [&](std::string_view cell, std::size_t rank, std::size_t slot) {
    return apart.take(cell, rank, slot);
  });
  return std::move(apart).result(std::move(actions));
}

}  // namespace spillway
