#include "schedule/list_checks.h"

namespace spillway {
namespace {

constexpr std::size_t kMostComplaints = 500;

}  // namespace

std::vector<Occurrence> occurrences_of(const ActionLists& lists) {
  std::vector<Occurrence> all;
  for (std::uint32_t rank = 0; rank < lists.rows.size(); ++rank) {
    for (std::uint32_t slot = 0; slot < lists.rows[rank].size(); ++slot) {
      const auto& action = lists.rows[rank][slot];
      if (!action) continue;
      if (action->kind != ListedKind::ForwardBackward) {
        all.push_back({*action, rank, slot});
        continue;
      }
      all.push_back({{ListedKind::Forward, action->stage, action->microbatch}, rank, slot});
      all.push_back(
          {{ListedKind::Backward, action->backward_stage, action->backward_microbatch}, rank, slot});
    }
  }
  return all;
}

void Complaints::add(std::string pointer, std::string expected, std::string found) {
  if (all_.size() > kMostComplaints) return;
  if (all_.size() == kMostComplaints) {
    all_.push_back({"", "/", "at most " + std::to_string(kMostComplaints) + " violations", "more"});
    return;
  }
  all_.push_back({"", std::move(pointer), std::move(expected), std::move(found)});
}

std::string enumerated(const std::vector<std::string>& names, std::size_t more) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

}  // namespace spillway
