#include "schedule/list_checks.h"
#include "schedule/placed_orders.h"
#include "schedule/waiting.h"

namespace spillway {
namespace {

constexpr std::size_t kMostComplaints = 500;
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
