#include "report/order/blocking_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/dumped.h"
#include "report/order/blocked_action.h"

namespace spillway {
namespace {

constexpr const char* kNotChecked =
    "Checked: messages, groups and buffers. Not checked: whether these passes train the model.\n";

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

std::string place_words(const Program& program, const ActionPlace& place) {
  const RankProgram& of = program.programs[place.program];
  return rank_words(program, of) + ", " + blocked_action(of, place.action);
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
    return fmt::format("safe: {} cannot block for ever under {} ({} actions). {}\n{}", name,
                       sends_words(buffers), action_count(program), remedy_words(check), kNotChecked);
  std::string text = fmt::format("blocks: {} can block for ever under {}. {}\n", name, sends_words(buffers),
                                 remedy_words(check));
  if (check.starved) return text + "  " + reason_words(program, check) + '\n';
  text += "Each of these waits for the next, the last one for the first:\n";
  for (const ActionPlace& place : check.cycle) text += "  " + place_words(program, place) + '\n';
  return text;
}

}  // namespace spillway
