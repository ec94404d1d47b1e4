#include "execute/action_words.h"

#include <fmt/format.h>

namespace spillway {
namespace {

std::string value_of(const MessageAction& message) {
  return message.backward ? fmt::format("the gradient of the output of stage {}", message.to.index())
                          : fmt::format("the output of stage {}", message.from.index());
}

class ActionWords {
 public:
  ActionWords(const Program& program, const RankProgram& of) : program_(program), of_(of) {}

  std::string operator()(const ComputeAction& action) const {
    return fmt::format("{} of stage {}, microbatch {}{}", to_string(action.pass), action.at.stage.index(),
                       action.at.microbatch.index(), action.group ? with(*action.group) : "");
  }
  std::string operator()(const PostReceive& action) const {
    return fmt::format("post_receive of {}, microbatch {}, from rank {}, tag {}", value_of(action),
                       action.microbatch.index(), action.peer.index(), action.tag);
  }
  std::string operator()(const Send& action) const {
    return fmt::format("send of {}, microbatch {}, to rank {}, tag {}", value_of(action),
                       action.microbatch.index(), action.peer.index(), action.tag);
  }
  std::string operator()(const Wait& action) const {
    return fmt::format("wait for {}: {}", of_.first_id + action.of,
                       std::visit(*this, of_.actions[action.of]));
  }
  std::string operator()(const SeamAction& action) const { return action.gathers ? "gather" : "scatter"; }
  std::string operator()(const BroadcastAction& action) const {
    return fmt::format("broadcast of stage {}{}", action.stage.index(), with(action.group));
  }
  std::string operator()(const LossAction& action) const {
    return fmt::format("loss of microbatch {}", action.microbatch.index());
  }
  std::string operator()(const ReduceAction& action) const {
    return fmt::format("reduce of stage {}{}", action.stage.index(), with(action.group));
  }
  std::string operator()(const UpdateAction& action) const {
    return fmt::format("update of stage {}", action.stage.index());
  }
  std::string operator()(const BarrierAction&) const { return "barrier of all ranks"; }

 private:
  std::string with(std::uint32_t group) const {
    std::string members;
    for (const GroupMember& member : program_.groups[group])
      members +=
          fmt::format("{} {}:{}", members.empty() ? "" : ",", member.replica.index(), member.rank.index());
    return fmt::format(", with the members (replica:rank){} of group {}", members, group);
  }

  const Program& program_;
  const RankProgram& of_;
};

}  // namespace

std::string words_of(const Program& program, const RankProgram& of, std::size_t index) {
  if (index >= of.actions.size()) return "all its actions are over";
  return fmt::format("action {}, {}", of.first_id + index,
                     std::visit(ActionWords(program, of), of.actions[index]));
}

}  // namespace spillway
