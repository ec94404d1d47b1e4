#include "report/order/blocked_action.h"

#include <fmt/format.h>

#include <variant>

namespace spillway {
namespace {

std::string message_words(const MessageAction& message) {
  return message.backward ? fmt::format("the gradient of stage {}'s output, microbatch {}",
                                        message.to.index(), message.microbatch.index())
                          : fmt::format("the output of stage {}, microbatch {}", message.from.index(),
                                        message.microbatch.index());
}

// Says what a rank waits for. Other actions than these do not block.
struct BlockedWords {
  const RankProgram& of;

  std::string operator()(const Wait& wait) const {
    return std::visit([&](const auto& awaited) { return started(awaited, of.id(wait.of)); },
                      of.actions[wait.of]);
  }
  std::string operator()(const ComputeAction& action) const {
    const std::string words = fmt::format("computes {} of stage {}, microbatch {}", to_string(action.pass),
                                          action.at.stage.index(), action.at.microbatch.index());
    return action.group ? words + fmt::format(", with group {}", *action.group) : words;
  }
  std::string operator()(const BarrierAction&) const { return "is at the barrier"; }
  std::string operator()(const auto&) const { return "goes on"; }

 private:
  static std::string started(const Send& send, std::uint64_t id) {
    return fmt::format("waits until rank {} posts a receive for {} (send {})", send.peer.index(),
                       message_words(send), id);
  }
  static std::string started(const PostReceive& receive, std::uint64_t id) {
    return fmt::format("waits until rank {} sends {} (post_receive {})", receive.peer.index(),
                       message_words(receive), id);
  }
  static std::string started(const BroadcastAction& action, std::uint64_t id) {
    return fmt::format("waits until group {} broadcasts stage {} (broadcast {})", action.group,
                       action.stage.index(), id);
  }
  static std::string started(const ReduceAction& action, std::uint64_t id) {
    return fmt::format("waits until group {} reduces stage {} (reduce {})", action.group,
                       action.stage.index(), id);
  }
  static std::string started(const auto&, std::uint64_t id) { return fmt::format("waits for action {}", id); }
};

}  // namespace

std::string blocked_action(const RankProgram& of, std::size_t index) {
  if (index >= of.actions.size()) return "all its actions are over";
  return fmt::format("action {}: {}", of.id(index), std::visit(BlockedWords{of}, of.actions[index]));
}

}  // namespace spillway
