#include "schedule/list_checks.h"
#include "schedule/placed_orders.h"
#include "schedule/waiting.h"

namespace spillway {
namespace {

constexpr std::size_t kColumns = 100;

void check_row_count(const ActionLists& lists, std::uint32_t ranks, Complaints& complaints) {
  if (lists.rows.size() == ranks) return;
  complaints.add("/", "as many rows as ranks (" + std::to_string(ranks) + ')',
                 std::to_string(lists.rows.size()));
}

void check_microbatches(const std::vector<Occurrence>& all, std::uint32_t microbatches,
                        Complaints& complaints) {
  for (const Occurrence& occurrence : all)
    if (occurrence.action.microbatch >= microbatches)
      complaints.add(occurrence.pointer(), "a microbatch from 0 to " + std::to_string(microbatches - 1),
                     to_string(occurrence.action));
}

void check_circles(const ActionLists& lists, std::uint32_t microbatches, Complaints& complaints) {
  const std::vector<Wait> circle = waiting_circle(lists, microbatches);
  if (circle.empty()) return;
  std::string picture = circle_picture(lists, circle, kColumns);
  picture.pop_back();
  complaints.add(
      cell_pointer(circle[0].waiting.rank, circle[0].waiting.slot), "an order that does not deadlock",
      "a circle of ranks, each in its [action] waiting for an <action> that the next does later\n" + picture);
}

}  // namespace

std::vector<Violation> check_action_lists(const ActionLists& lists, std::uint32_t ranks,
                                          std::uint32_t microbatches) {
  Complaints complaints;
  const std::vector<Occurrence> all = occurrences_of(lists);
  check_row_count(lists, ranks, complaints);
  const StageRows rows = check_stages(lists, all, complaints);
  check_microbatches(all, microbatches, complaints);
  check_work(all, rows, microbatches, complaints);
  check_transfers(all, rows, complaints);
  if (complaints.empty()) check_circles(lists, microbatches, complaints);
  return std::move(complaints).all();
}

}  // namespace spillway
