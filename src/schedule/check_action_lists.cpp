#include "base/text.h"
#include "schedule/list_checks.h"
#include "schedule/placed_orders.h"
#include "schedule/waiting.h"

namespace spillway {
namespace {

constexpr std::size_t kColumns = 100;

void check_row_count(const ActionLists& lists, std::uint32_t ranks, Findings& findings) {
  if (lists.rows.size() == ranks) return;
  findings.add("/", "as many rows as ranks (" + std::to_string(ranks) + ')',
               std::to_string(lists.rows.size()));
}

void check_microbatches(const std::vector<Occurrence>& all, std::uint32_t microbatches, Findings& findings) {
  for (const Occurrence& occurrence : all)
    if (occurrence.action.microbatch >= microbatches)
      findings.add(occurrence.pointer(), "a microbatch from 0 to " + std::to_string(microbatches - 1),
                   to_string(occurrence.action));
}

void check_circles(const ActionLists& lists, std::uint32_t microbatches, Findings& findings) {
  const std::vector<ListWait> circle = waiting_circle(lists, microbatches);
  if (circle.empty()) return;
  std::string picture = circle_picture(lists, circle, kColumns);
  picture.pop_back();
  findings.add(
      cell_pointer(circle[0].waiting.rank, circle[0].waiting.slot), "an order that does not deadlock",
      "a cycle of ranks: each waits in its [action] for an <action> that the next rank runs later\n" +
          picture);
}

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

std::string enumerated(const std::vector<std::string>& names, std::size_t more) {
  const std::string text = joined(names);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

std::vector<Violation> check_action_lists(const ActionLists& lists, std::uint32_t ranks,
                                          std::uint32_t microbatches) {
  Findings findings("", kMostWrongActions);
  const std::vector<Occurrence> all = occurrences_of(lists);
  check_row_count(lists, ranks, findings);
  const StageRows rows = check_stages(lists, all, findings);
  check_microbatches(all, microbatches, findings);
  check_work(all, rows, microbatches, findings);
  check_transfers(all, rows, findings);
  if (findings.empty()) check_circles(lists, microbatches, findings);
  return findings.listed();
}

}  // namespace spillway
