#include "report/step/rank_json.h"

#include <array>
#include <utility>

namespace spillway {
namespace {

constexpr std::array<std::pair<const char*, Seconds RankFigures::*>, 6> kRankTimes = {{
    {"busy_s", &RankFigures::busy},
    {"communication_s", &RankFigures::communication},
    {"bubble_s", &RankFigures::bubble},
    {"idle_s", &RankFigures::idle},
    {"first_start_s", &RankFigures::first_start},
    {"last_end_s", &RankFigures::last_end},
}};

constexpr std::array<std::pair<const char*, Seconds RankSpill::*>, 3> kRankSpill = {{
    {"warmup_slack_s", &RankSpill::warm_up_slack},
    {"encoder_s", &RankSpill::encoder},
    {"spill_s", &RankSpill::spill},
}};

// Null where no transposed region feeds a pipelined one.
Json rank_spill_figure(const ScheduleResult& schedule, std::size_t row, Seconds RankSpill::*part) {
  if (!schedule.draws.front().step.spill) return nullptr;
  return over_draws(schedule, [&](const DrawResult& d) { return ((*d.ranks[row].spill).*part).value(); });
}

// What is held when the most is; each part over the draws.
Json peak_memory(const ScheduleResult& schedule, std::size_t row) {
  const auto part = [&](auto bytes_of) {
    return over_draws(schedule, [&](const DrawResult& d) { return bytes_of(d.memory[row].parts).value(); });
  };
  using Parts = MemoryParts;
  return {{"when_s", over_draws(schedule, [&](const DrawResult& d) { return d.memory[row].when.value(); })},
          {"parameter_bytes", part([](const Parts& p) { return p.state.parameters; })},
          {"gradient_bytes", part([](const Parts& p) { return p.state.gradients; })},
          {"optimizer_bytes", part([](const Parts& p) { return p.state.optimizer; })},
          {"activation_bytes", part([](const Parts& p) { return p.activations; })},
          {"transposed_bytes", part([](const Parts& p) { return p.transposed; })},
          {"waiting_bytes", part([](const Parts& p) { return p.waiting; })},
          {"working_bytes", part([](const Parts& p) { return p.working; })},
          {"workspace_bytes", part([](const Parts& p) { return p.workspace; })}};
}

Json rank_row(const ScheduleResult& schedule, std::size_t row) {
  const RankFigures& first = schedule.draws.front().ranks[row];
  Json json = {{"replica", first.replica.index()}, {"rank", first.rank.index()}};
  for (const auto& [key, member] : kRankTimes)
    json[key] = over_draws(
        schedule, [&, member = member](const DrawResult& d) { return (d.ranks[row].*member).value(); });
  for (const auto& [key, member] : kRankSpill) json[key] = rank_spill_figure(schedule, row, member);
  json["peak_activations"] = schedule.peak_activations[first.rank.index()];
  json["peak_memory_bytes"] = nullptr;
  if (schedule.draws.front().memory.empty()) return json;
  json["peak_memory_bytes"] =
      over_draws(schedule, [&](const DrawResult& d) { return d.memory[row].parts.total().value(); });
  json["peak_memory"] = peak_memory(schedule, row);
  return json;
}

}  // namespace

Json rank_rows(const ScheduleResult& schedule) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < schedule.draws.front().ranks.size(); ++row)
    rows.push_back(rank_row(schedule, row));
  return rows;
}

}  // namespace spillway
