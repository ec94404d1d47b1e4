#include "program/rank_actions.h"

namespace spillway {
namespace {

bool can_be_waited_for(const RankAction& action) {
  return std::holds_alternative<PostReceive>(action) || std::holds_alternative<Send>(action) ||
         std::holds_alternative<BroadcastAction>(action) || std::holds_alternative<ReduceAction>(action);
}

}  // namespace

void RankActions::add(ReadAction read, Findings& findings) {
  if (!read.action) ++broken_;
  if (read.action && std::holds_alternative<BroadcastAction>(*read.action))
    roots_.emplace_back(actions_.size(), read.root);
  if (auto* wait = read.action ? std::get_if<Wait>(&*read.action) : nullptr)
    resolve(*wait, read.waits_for, findings);
  add_id(read.id);
  states_.push_back(read.action ? State::Whole : State::Broken);
  actions_.push_back(read.action ? std::move(*read.action) : RankAction(LossAction{}));
}

void RankActions::add_id(std::optional<std::uint64_t> id) {
  const std::uint64_t following =
      actions_.empty() ? 0 : (ids_.empty() ? first_id_ + actions_.size() : ids_.back() + 1);
  const std::uint64_t own = id.value_or(following);
  if (actions_.empty()) first_id_ = own;
  if (ids_.empty() && (actions_.empty() || own == following)) return;
  if (ids_.empty())
    for (std::size_t index = 0; index < actions_.size(); ++index) {
      ids_.push_back(first_id_ + index);
      index_of_.emplace(first_id_ + index, index);
    }
  index_of_.emplace(own, ids_.size());
  ids_.push_back(own);
}

std::optional<std::size_t> RankActions::index_of(std::uint64_t id) const {
  if (!ids_.empty()) {
    const auto found = index_of_.find(id);
    return found == index_of_.end() ? std::nullopt : std::optional(found->second);
  }
  const bool known = id >= first_id_ && id - first_id_ < actions_.size();
  return known ? std::optional<std::size_t>(id - first_id_) : std::nullopt;
}

void RankActions::resolve(Wait& wait, std::uint64_t id, Findings& findings) {
  const std::optional<std::size_t> of = index_of(id);
  const auto refuse = [&](const char* expected, const std::string& found) {
    if (findings.is_full()) return findings.count_one_more();
    findings.add(action_pointer(program_, actions_.size()) + "/for", expected, found);
  };
  constexpr const char* kStarted =
      "the id of a post_receive, send, broadcast or reduce before it in the same rank";
  if (!of) return refuse(kStarted, std::to_string(id));
  wait.of = static_cast<std::uint32_t>(*of);
  if (states_[*of] == State::Broken) return;
  if (!can_be_waited_for(actions_[*of])) return refuse(kStarted, std::to_string(id) + ", another action");
  if (states_[*of] == State::WaitedFor)
    return refuse("an id that is waited for once", std::to_string(id) + " again");
  states_[*of] = State::WaitedFor;
}

RankProgram RankActions::program(ReplicaId replica, RankId rank) && {
  actions_.shrink_to_fit();
  return {replica, rank, first_id_, std::move(actions_), std::move(ids_)};
}

}  // namespace spillway
