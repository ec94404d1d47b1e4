#include <optional>
#include <tuple>

#include "schedule/list_checks.h"

namespace spillway {
namespace {

using What = std::tuple<ListedKind, std::uint32_t, std::uint32_t>;  // kind, stage, microbatch

What what_of(const ListedAction& action) {
  return {action.kind, action.stage, action.microbatch};
}

// The stage at the other end of a transfer: activations flow up, gradients down. None beyond the first or the
// last stage.
std::optional<std::uint32_t> neighbour_of(const ListedAction& transfer, const StageRows& rows) {
  const bool up = transfer.kind == ListedKind::SendForward || transfer.kind == ListedKind::ReceiveBackward;
  if (!up && transfer.stage == 0) return std::nullopt;
  const std::uint32_t neighbour = up ? transfer.stage + 1 : transfer.stage - 1;
  return rows.contains(neighbour) ? std::optional(neighbour) : std::nullopt;
}

ListedKind other_end(ListedKind kind) {
  switch (kind) {
    case ListedKind::SendForward:
      return ListedKind::ReceiveForward;
    case ListedKind::ReceiveForward:
      return ListedKind::SendForward;
    case ListedKind::SendBackward:
      return ListedKind::ReceiveBackward;
    default:
      return ListedKind::SendBackward;
  }
}

void check_transfer(const Occurrence& transfer, const std::map<What, const Occurrence*>& first,
                    const StageRows& rows, Findings& findings) {
  const ListedAction& action = transfer.action;
  const std::string text = to_string(action);
  if (const Occurrence* same = first.at(what_of(action)); same != &transfer)
    return findings.add(transfer.pointer(), "each transfer once (this one is at " + same->pointer() + ')',
                        text + " again");
  const auto row = rows.find(action.stage);
  if (row == rows.end() || row->second != transfer.rank)
    return findings.add(transfer.pointer(), "transfers of this rank's stages", text);
  const auto neighbour = neighbour_of(action, rows);
  if (!neighbour)
    return findings.add(transfer.pointer(), "a transfer between two stages (this is the last one)", text);
  if (rows.at(*neighbour) == transfer.rank)
    return findings.add(transfer.pointer(),
                        "no transfer, since stage " + std::to_string(*neighbour) + " is on the same rank",
                        text);
  const ListedAction end{other_end(action.kind), *neighbour, action.microbatch};
  if (!first.contains(what_of(end)))
    findings.add(transfer.pointer(),
                 "its other end " + to_string(end) + " on rank " + std::to_string(rows.at(*neighbour)),
                 text + " alone");
}

}  // namespace

void check_transfers(const std::vector<Occurrence>& all, const StageRows& rows, Findings& findings) {
  std::map<What, const Occurrence*> first;
  for (const Occurrence& occurrence : all)
    if (occurrence.action.transfers()) first.try_emplace(what_of(occurrence.action), &occurrence);
  for (const Occurrence& occurrence : all)
    if (occurrence.action.transfers()) check_transfer(occurrence, first, rows, findings);
}

}  // namespace spillway
