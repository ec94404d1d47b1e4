#include "execute/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "execute/losses.h"
#include "json/dumped.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

Seconds predicted(const Program& program, const PlayedProgram& execution) {
  return execution.time_scale * program.makespan;
}

// Returns how much longer the measured step is, as a share of the predicted one. Nothing if that is 0.
std::optional<double> difference(const Program& program, const PlayedProgram& execution) {
  const Seconds expected = predicted(program, execution);
  if (expected <= Seconds()) return {};
  return execution.median().length / expected - 1;
}

// Exchanges of groups whose bytes the program does not know.
std::size_t exchanges_without_bytes(const Program& program) {
  std::size_t count = 0;
  for (const RankProgram& of : program.programs)
    count += static_cast<std::size_t>(
        std::count_if(of.actions.begin(), of.actions.end(), [](const RankAction& action) {
          if (const auto* reduce = std::get_if<ReduceAction>(&action)) return !reduce->bytes;
          const auto* broadcast = std::get_if<BroadcastAction>(&action);
          return broadcast && !broadcast->bytes;
        }));
  return count;
}

std::string measured_text(const Program& program, const PlayedProgram& execution) {
  std::string text = duration_text(execution.median().length);
  if (const auto apart = difference(program, execution)) text += " (" + signed_percent(*apart, 2) + ")";
  if (execution.steps.size() == 1) return text;
  const auto [least, most] =
      std::minmax_element(execution.steps.begin(), execution.steps.end(),
                          [](const PlayedStep& a, const PlayedStep& b) { return a.length < b.length; });
  return text + ", the median of " + counted(execution.steps.size(), "step") + " from " +
         duration_text(least->length) + " to " + duration_text(most->length);
}

std::string losses_table(const Program& program, const PlayedProgram& execution) {
  TableRows rows = {{"replica:rank", "computing", "messages", "groups", "between actions"}};
  const std::vector<RankLosses> all = losses(program, execution.median());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const RankProgram& of = program.programs[rank];
    rows.push_back({fmt::format("{}:{}", of.replica.index(), of.rank.index())});
    for (const Seconds part : {all[rank].computing, all[rank].messages, all[rank].groups, all[rank].between})
      rows.back().push_back(duration_text(part));
  }
  return table_text(std::move(rows));
}

}  // namespace

void write_execution(std::ostream& out, const Program& program, const PlayedProgram& execution) {
  out << program.schedule << " of " << program.experiment << ": " << counted(program.replicas, "replica")
      << ", " << counted(program.ranks, "rank") << ", " << counted(program.microbatches, "microbatch")
      << ", times x " << execution.time_scale << "\n  predicted step  "
      << duration_text(predicted(program, execution)) << "\n  measured step   "
      << measured_text(program, execution) << "\nlonger than predicted, by rank, as sums over its actions:\n"
      << losses_table(program, execution);
  if (const std::size_t without = exchanges_without_bytes(program))
    out << wrapped("note: ",
                   "the program does not know the bytes of " + counted(without, "exchange") +
                       " of groups; they took their predicted time and moved nothing",
                   kTableColumns);
}

std::string verdict(const Program& program, const PlayedProgram& execution) {
  return program.schedule + " of " + program.experiment + ", played: " + measured_text(program, execution) +
         " a step; predicted: " + duration_text(predicted(program, execution));
}

std::string execution_json(const Program& program, const PlayedProgram& execution) {
  using Json = nlohmann::ordered_json;
  const auto apart = difference(program, execution);
  Json document = {{"schema", "spillway/execution/1"},
                   {"experiment", program.experiment},
                   {"schedule", program.schedule},
                   {"draw", program.draw},
                   {"ranks", program.ranks},
                   {"replicas", program.replicas},
                   {"time_scale", execution.time_scale},
                   {"predicted_s", predicted(program, execution).value()},
                   {"measured_s", execution.median().length.value()},
                   {"difference", apart ? Json(*apart) : Json(nullptr)},
                   {"steps_s", Json::array()},
                   {"exchanges_without_bytes", exchanges_without_bytes(program)},
                   {"lost", Json::array()}};
  for (const PlayedStep& step : execution.steps) document["steps_s"].push_back(step.length.value());
  const std::vector<RankLosses> all = losses(program, execution.median());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    document["lost"].push_back({{"replica", program.programs[rank].replica.index()},
                                {"rank", program.programs[rank].rank.index()},
                                {"computing_s", all[rank].computing.value()},
                                {"messages_s", all[rank].messages.value()},
                                {"groups_s", all[rank].groups.value()},
                                {"between_s", all[rank].between.value()}});
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
