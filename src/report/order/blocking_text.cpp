#include "report/order/blocking_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/dumped.h"

namespace spillway {
namespace {

std::size_t action_count(const Program& program) {
  std::size_t count = 0;
  for (const RankProgram& of : program.programs) count += of.actions.size();
  return count;
}

std::string rank_words(const Program& program, const RankProgram& of) {
  std::string words = fmt::format("rank {}", of.rank.index());
  if (program.replicas > 1) words += fmt::format(" of replica {}", of.replica.index());
  return words;
}

std::string message_words(const MessageAction& message) {
  return message.backward ? fmt::format("the gradient of stage {}'s output, microbatch {}",
                                        message.to.index(), message.microbatch.index())
                          : fmt::format("the output of stage {}, microbatch {}", message.from.index(),
                                        message.microbatch.index());
}

// Says in words what a blocked action waits for.
struct BlockedWords {
  const RankProgram& of;

  std::string operator()(const Wait& wait) const {
    return std::visit([&](const auto& awaited) { return started(awaited, of.id(wait.of)); },
                      of.actions[wait.of]);
  }
  std::string operator()(const ComputeAction& action) const {
    return fmt::format("computes {} of stage {}, microbatch {} with its group", to_string(action.pass),
                       action.at.stage.index(), action.at.microbatch.index());
  }
  std::string operator()(const BarrierAction&) const { return "is at the barrier"; }
  std::string operator()(const auto&) const { throw ContractBreach("an action that blocks"); }

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
    return fmt::format("waits until its group broadcasts stage {} (broadcast {})", action.stage.index(), id);
  }
  static std::string started(const ReduceAction& action, std::uint64_t id) {
    return fmt::format("waits until its group reduces stage {} (reduce {})", action.stage.index(), id);
  }
  static std::string started(const auto&, std::uint64_t id) { return fmt::format("waits for action {}", id); }
};

std::string place_words(const Program& program, const ActionPlace& place) {
  const RankProgram& of = program.programs[place.program];
  return fmt::format("{}, action {}: {}", rank_words(program, of), of.id(place.action),
                     std::visit(BlockedWords{of}, of.actions[place.action]));
}

std::string sends_words(SendBuffers buffers) {
  if (!buffers) return "buffered sends";
  if (*buffers == 0) return "rendezvous sends";
  return counted(*buffers, "buffer") + " for each ordered pair of ranks";
}

std::string remedy_words(const BlockingCheck& check) {
  if (!check.buffers_needed) return "No number of buffers is enough.";
  if (*check.buffers_needed == 0) return "It needs no buffers.";
  return fmt::format("{} for each ordered pair of ranks {} enough.", counted(*check.buffers_needed, "buffer"),
                     *check.buffers_needed == 1 ? "is" : "are");
}

std::string reason_words(const Program& program, const BlockingCheck& check) {
  return place_words(program, *check.starved) + "; no rank will do what it waits for";
}

}  // namespace

std::string check_json(const Program& program, SendBuffers buffers, const BlockingCheck& check) {
  using Json = nlohmann::ordered_json;
  Json cycle = nullptr;
  if (!check.cycle.empty()) cycle = Json::array();
  for (const ActionPlace& place : check.cycle)
    cycle.push_back(program.programs[place.program].id(place.action));
  const auto number_or_null = [](const SendBuffers& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  const Json document = {
      {"schema", "spillway/check/1"},
      {"experiment", program.experiment},
      {"schedule", program.schedule},
      {"actions", action_count(program)},
      {"safe", check.safe},
      {"semantics", buffers == 0U ? "rendezvous" : "buffered"},
      {"buffers", number_or_null(buffers)},
      {"buffers_needed", number_or_null(check.buffers_needed)},
      {"cycle", cycle},
      {"reason", check.starved ? Json(reason_words(program, check)) : Json(nullptr)},
  };
  return dumped(document, 2) + '\n';
}

std::string check_text(const Program& program, SendBuffers buffers, const BlockingCheck& check) {
  const std::string name = fmt::format("{}, schedule {}", program.experiment, program.schedule);
  if (check.safe)
    return fmt::format("safe: {} cannot block for ever under {} ({} actions). {}\n", name,
                       sends_words(buffers), action_count(program), remedy_words(check));
  std::string text = fmt::format("blocks: {} can block for ever under {}. {}\n", name, sends_words(buffers),
                                 remedy_words(check));
  if (check.starved) return text + "  " + reason_words(program, check) + '\n';
  text += "Each of these waits for the next, the last one for the first:\n";
  for (const ActionPlace& place : check.cycle) text += "  " + place_words(program, place) + '\n';
  return text;
}

}  // namespace spillway
