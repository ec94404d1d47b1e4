#include "schedule/list_checks.h"

#include "base/text.h"

namespace spillway {
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

std::string enumerated(const std::vector<std::string>& names, std::size_t more) {
  const std::string text = joined(names);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

}  // namespace spillway
