#include "torch_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace spillway::testing {
namespace {

using Kind = ListedKind;
using Done = std::set<std::tuple<Kind, std::uint32_t, std::uint32_t>>;  // kind, stage, microbatch

// The rank's actions, with an overlap as its halves.
std::vector<ListedAction> opened(const ActionRow& row) {
  std::vector<ListedAction> actions;
  for (const auto& cell : row) {
    if (!cell) continue;
    ListedAction first = *cell;
    if (first.kind == Kind::ForwardBackward) first.kind = Kind::Forward;
    actions.push_back(first);
    if (cell->kind == Kind::ForwardBackward)
      actions.push_back({Kind::Backward, cell->backward_stage, cell->backward_microbatch});
  }
  return actions;
}

class Reader {
 public:
  Reader(const ActionLists& lists, std::uint32_t microbatches, bool with_transfers)
      : microbatches_(microbatches), transfers_(with_transfers) {
    for (const ActionRow& row : lists.rows) rows_.push_back(opened(row));
    for (std::uint32_t rank = 0; rank < rows_.size(); ++rank)
      for (const ListedAction& action : rows_[rank])
        if (action.computes()) ranks_[action.stage].insert(rank);
  }

  std::string broken_rule() {
    for (const auto& row : rows_)
      if (row.empty()) return "a rank without a stage";
    for (const auto& [stage, ranks] : ranks_) {
      if (ranks.size() > 1) return "a stage on two ranks";
      if (stage >= ranks_.size()) return "a stage that is skipped";
    }
    return first_of({counts(), run(), forwards()});
  }

 private:
  static std::string first_of(const std::vector<std::string>& all) {
    const auto found = std::find_if(all.begin(), all.end(), [](const auto& text) { return !text.empty(); });
    return found == all.end() ? "" : *found;
  }

  std::size_t count(std::uint32_t stage, Kind kind) const {
    std::size_t found = 0;
    for (const auto& row : rows_)
      found += std::count_if(row.begin(), row.end(), [&](const auto& action) {
        return action.stage == stage && action.kind == kind;
      });
    return found;
  }

  // _validate_schedule, which "compute_comms" goes without.
  std::string counts() const {
    for (std::uint32_t stage = 0; stage < ranks_.size(); ++stage) {
      if (count(stage, Kind::Forward) != microbatches_) return "another number of forwards";
      const std::size_t halves = count(stage, Kind::BackwardInput) + count(stage, Kind::BackwardWeight);
      if (!transfers_ && count(stage, Kind::Backward) + halves / 2 != microbatches_)
        return "another number of backwards";
    }
    return "";
  }

  // Outputs and losses are found by their place among the forwards of their stage.
  std::string forwards() const {
    std::map<std::uint32_t, std::uint32_t> next;
    for (const auto& row : rows_)
      for (const ListedAction& action : row)
        if (action.kind == Kind::Forward && action.microbatch != next[action.stage]++)
          return "a forward out of order";
    return "";
  }

  std::uint32_t rank_of(std::uint32_t stage) const { return *ranks_.at(stage).begin(); }

  bool has(Kind kind, std::uint32_t stage, std::uint32_t microbatch) const {
    return done_.contains({kind, stage, microbatch});
  }

  // Returns true if a value of `stage` has come to `at`: at once on its rank, elsewhere by a transfer if the
  // lists have these.
  bool arrived(Kind made, Kind received, std::uint32_t stage, std::uint32_t at,
               std::uint32_t microbatch) const {
    if (!transfers_ || rank_of(stage) == rank_of(at)) return has(made, stage, microbatch);
    return has(received, at, microbatch) && has(sent_as(received), stage, microbatch);
  }
  static Kind sent_as(Kind received) {
    return received == Kind::ReceiveForward ? Kind::SendForward : Kind::SendBackward;
  }

  bool can(const ListedAction& action) const {
    const auto& [kind, stage, microbatch] = std::tie(action.kind, action.stage, action.microbatch);
    switch (kind) {
      case Kind::Forward:
        return stage == 0 || arrived(Kind::Forward, Kind::ReceiveForward, stage - 1, stage, microbatch);
      case Kind::Backward:
      case Kind::BackwardInput: {
        if (!has(Kind::Forward, stage, microbatch) || stage + 1 == ranks_.size())
          return has(Kind::Forward, stage, microbatch);
        const auto from = [&](Kind made) {
          return arrived(made, Kind::ReceiveBackward, stage + 1, stage, microbatch);
        };
        return from(Kind::Backward) || from(Kind::BackwardInput);
      }
      case Kind::BackwardWeight:
        return has(Kind::BackwardInput, stage, microbatch);
      case Kind::SendForward:
        return has(Kind::Forward, stage, microbatch);
      case Kind::SendBackward:
        return has(Kind::Backward, stage, microbatch) || has(Kind::BackwardInput, stage, microbatch);
      default:
        return true;
    }
  }

  // Messages of an ordered pair of ranks are met in the order in which they are sent.
  void note_message(const ListedAction& action) {
    const bool forward = action.kind == Kind::SendForward || action.kind == Kind::ReceiveForward;
    const bool sends = action.kind == Kind::SendForward || action.kind == Kind::SendBackward;
    const std::uint32_t peer = (forward == sends) ? action.stage + 1 : action.stage - 1;
    const std::uint32_t from = sends ? action.stage : peer, to = sends ? peer : action.stage;
    auto& pair = messages_[{rank_of(from), rank_of(to)}];
    (sends ? pair.first : pair.second).push_back({from, to, action.microbatch});
  }

  std::string run() {
    std::vector<std::size_t> at(rows_.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < rows_.size(); ++rank)
        for (; at[rank] < rows_[rank].size() && can(rows_[rank][at[rank]]); ++at[rank], moved = true) {
          const ListedAction& action = rows_[rank][at[rank]];
          done_.insert({action.kind, action.stage, action.microbatch});
          if (action.transfers()) note_message(action);
        }
    }
    for (std::uint32_t rank = 0; rank < rows_.size(); ++rank)
      if (at[rank] < rows_[rank].size()) return "rank waits for ever for " + to_string(rows_[rank][at[rank]]);
    for (const auto& [pair, messages] : messages_)
      if (messages.first != messages.second) return "messages of a pair of ranks that do not meet in order";
    return "";
  }

  using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, microbatch

  std::vector<std::vector<ListedAction>> rows_;
  std::map<std::uint32_t, std::set<std::uint32_t>> ranks_;  // by stage
  std::uint32_t microbatches_;
  bool transfers_;
  Done done_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::vector<Message>, std::vector<Message>>>
      messages_;  // by ordered pair: sent, received
};

}  // namespace

std::string broken_torch_rule(const ActionLists& lists, std::uint32_t microbatches, bool with_transfers) {
  return Reader(lists, microbatches, with_transfers).broken_rule();
}

}  // namespace spillway::testing
