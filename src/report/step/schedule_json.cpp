#include "report/step/schedule_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "experiment/modules.h"
#include "report/step/drawn_figures.h"
#include "report/step/explain_spill.h"
#include "words/spread.h"

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

// Returns null if no transposed region feeds a pipelined one.
Json rank_spill_figure(const ScheduleResult& schedule, std::size_t row, Seconds RankSpill::*part) {
  if (!schedule.draws.front().step.spill) return nullptr;
  return over_draws(schedule, [&](const DrawResult& d) { return ((*d.ranks[row].spill).*part).value(); });
}

// Returns the parts of the memory at the rank's peak, each over the draws.
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

// Returns the rows replica by replica, rank by rank.
Json rank_rows(const ScheduleResult& schedule) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < schedule.draws.front().ranks.size(); ++row)
    rows.push_back(rank_row(schedule, row));
  return rows;
}

// An engine that did not run has null.
Json engines_json(const ScheduleResult& schedule) {
  Json json;
  for (const EngineEntry& entry : engine_list()) {
    const bool ran = schedule.draws.front().makespans[entry.engine].has_value();
    json[entry.key] =
        ran ? over_draws(schedule, [&](const DrawResult& d) { return d.makespans[entry.engine]->value(); })
            : Json(nullptr);
  }
  return json;
}

// Returns null if the experiment does not determine the figure.
Json drawn(std::string_view key, const Evaluation& evaluation, const ScheduleResult& schedule) {
  const auto by_draw = drawn_figure(key, evaluation, schedule);
  return by_draw ? figure_json(*by_draw) : Json(nullptr);
}

// Returns null if the order is streamed.
Json lower_bound(const ScheduleResult& schedule) {
  if (!mean_bound(schedule)) return nullptr;
  return over_draws(schedule, [](const DrawResult& draw) { return draw.bound->step.value(); });
}

Json limit_json(const std::optional<MemoryLimit>& limit) {
  return limit ? Json(limit->bytes.value()) : Json(nullptr);
}

Json spill_account(const ScheduleResult& schedule) {
  if (!schedule.first.spill) return nullptr;
  const SpillAccount& spill = *schedule.first.spill;
  Json on_path = Json::array();
  for (const EncoderOnCriticalPath& part : spill.on_path)
    on_path.push_back({{"rank", part.rank.index()},
                       {"forward_s", part.forward.value()},
                       {"backward_s", part.backward.value()}});
  return {{"formula_s", spill.formula.value()},
          {"exposed_s", spill.exposed.value()},
          {"encoder_on_critical_path", on_path},
          {"explanation", explain_spill(schedule)}};
}

Json encoder_times(const std::optional<EncoderTimes>& encoder) {
  if (!encoder) return nullptr;
  return {
      {"least", encoder->least.value()}, {"mean", encoder->mean.value()}, {"most", encoder->most.value()}};
}

Json critical_path(const CriticalPathShares& shares) {
  return {{"transposed_forward_s", shares.transposed_forward.value()},
          {"transposed_backward_s", shares.transposed_backward.value()},
          {"forward_s", shares.forward.value()},
          {"backward_s", shares.backward.value()},
          {"overlapped_s", shares.overlapped.value()},
          {"transfers_s", shares.transfers.value()},
          {"reductions_s", shares.reductions.value()},
          {"planning_s", shares.planning.value()}};
}

Json simulation(const SimulationCost& cost) {
  Json json = {{"events", cost.events},
               {"derive_s", cost.derive_s},
               {"plan_s", value_or_null(cost.plan_s)},
               {"longest_path_s", cost.longest_path_s}};
  for (const EngineEntry& entry : engine_list())
    if (entry.replays) json[entry.key] = value_or_null(cost.one_run_s[entry.engine]);
  return json;
}

// For the first draw and by replica: the number of the sampled microbatch that runs at each position.
Json sampled_as(const ScheduleResult& schedule) {
  if (schedule.first.sampled_as.empty()) return nullptr;
  Json by_replica = Json::array();
  for (const Permutation& order : schedule.first.sampled_as) {
    Json& numbers = by_replica.emplace_back(Json::array());
    for (MicrobatchId microbatch : order) numbers.push_back(microbatch.index() + 1);
  }
  return by_replica;
}

Json growth(const std::optional<SteadyState>& steady) {
  if (!steady) return nullptr;
  return {{"per_microbatch_s", steady->per_microbatch().value()},
          {"period", steady->period},
          {"cyclicity", steady->cyclicity()}};
}

// Returns the share of the operators' time that each kind of evidence has.
Json evidence_shares(const EvidenceSummary& summary) {
  Json shares;
  for (std::size_t kind = 0; kind < kEvidenceKinds; ++kind)
    shares[to_string(static_cast<Evidence>(kind))] = summary.share_of_time[kind];
  return shares;
}

Json unmeasured(const EvidenceSummary& summary) {
  Json all = Json::array();
  for (const PricedOperator& priced : summary.unmeasured)
    all.push_back({{"name", priced.name},
                   {"shape", priced.shape},
                   {"kind", to_string(priced.evidence)},
                   {"device_s", priced.time.value()}});
  return all;
}

void add_evidence(const ScheduleResult& schedule, Json& json) {
  for (const char* key : {"evidence", "evidence_weakest", "unmeasured"}) json[key] = nullptr;
  if (!schedule.first.evidence) return;
  const EvidenceSummary& summary = *schedule.first.evidence;
  json["evidence"] = evidence_shares(summary);
  json["evidence_weakest"] = to_string(summary.weakest);
  json["unmeasured"] = unmeasured(summary);
}

// Each schedule repeats the warnings that hold for all schedules.
Json all_warnings(const Evaluation& evaluation, const ScheduleResult& schedule) {
  std::vector<Warning> all = evaluation.warnings;
  all.insert(all.end(), schedule.warnings.begin(), schedule.warnings.end());
  return warnings_json(all);
}

Json over(const ScheduleResult& reference, const ScheduleResult& schedule) {
  return {{"name", reference.name}, {"speedup", figure_json(speedups_over(reference, schedule))}};
}

// `in_unit` is the number of the module's pipelines in the unit that the order covers. Empty if one pipeline
// holds the whole model.
Json modules_json(const Derived& derived) {
  Json all = Json::array();
  const std::vector<ModulePlace> places = places_of(derived.modules, derived.pipeline);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlacedModule& module = derived.modules[i];
    all.push_back({{"blocks", name_of(module, derived.model)},
                   {"ranks", module.ranks},
                   {"replicas", module.replicas},
                   {"tensor", module.tensor},
                   {"context", module.context},
                   {"in_unit", places[i].copies}});
  }
  return all;
}

// Returns null for a schedule that transposes nothing.
Json over_balanced(const Evaluation& evaluation, const ScheduleResult& schedule) {
  return schedule.beside ? over(evaluation.at(*schedule.beside), schedule) : Json(nullptr);
}

Json over_plain(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const ScheduleResult* plain = schedule.beside ? fastest_plain(evaluation) : nullptr;
  return plain ? over(*plain, schedule) : Json(nullptr);
}

Json interval_parts_json(const StepInterval& interval) {
  Json all = Json::array();
  for (const IntervalPart& part : interval.rests_on)
    all.push_back({{"unknown", word_for(part.unknown).key}, {"share", part.share}});
  return all;
}

// Returns the prediction interval of the step, or null if it was not requested or durations are given.
Json interval_json(const ScheduleResult& s) {
  if (!s.interval) return nullptr;
  const Seconds mean = mean_makespan(s);
  return {{"from_s", (mean * s.interval->low).value()},
          {"to_s", (mean * s.interval->high).value()},
          {"probability", kIntervalHolds},
          {"draws", s.interval->draws},
          {"rests_on", interval_parts_json(*s.interval)}};
}

// Returns the interval of the speedup over the baseline, or null, also for the baseline itself.
Json speedup_interval_json(const Evaluation& evaluation, const ScheduleResult& s) {
  const ScheduleResult& baseline = evaluation.schedules[evaluation.baseline];
  if (&s == &baseline || !s.interval || !baseline.interval) return nullptr;
  const double mean = spread(speedups_over(baseline, s)).mean;
  const StepInterval over = speedup_interval(*baseline.interval, *s.interval);
  return {{"from", mean * over.low},
          {"to", mean * over.high},
          {"probability", kIntervalHolds},
          {"draws", over.draws}};
}

}  // namespace

Json figure_json(const std::vector<double>& values) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    return nullptr;
  if (values.size() == 1) return values.front();
  const Spread s = spread(values);
  return {{"mean", s.mean}, {"p5", s.p5},   {"p50", s.p50},  {"p95", s.p95},
          {"p99", s.p99},   {"max", s.max}, {"ci95", s.ci95}};
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json all = Json::array();
  for (const Warning& warning : warnings) all.push_back({{"code", warning.code}, {"text", warning.text}});
  return all;
}

Json references_json(const Evaluation& evaluation) {
  Json all = Json::array();
  for (const ScheduleResult& reference : evaluation.references)
    all.push_back({{"name", reference.name},
                   {"schedule", to_string(reference.derived->schedule)},
                   {"makespan_s", drawn("makespan_s", evaluation, reference)},
                   {"speedup", drawn("speedup", evaluation, reference)}});
  return all;
}

Json split_alike_json(const Evaluation& evaluation) {
  Json all = Json::array();
  for (const SplitAlike& pair : split_alike(evaluation))
    all.push_back({{"schedule", pair.winner->name},
                   {"over", pair.over->name},
                   {"makespan_s", drawn("makespan_s", evaluation, *pair.winner)},
                   {"over_makespan_s", drawn("makespan_s", evaluation, *pair.rival)},
                   {"speedup", figure_json(speedups_over(*pair.rival, *pair.winner))},
                   {"fits", value_or_null(fits(evaluation, *pair.winner))}});
  return all;
}

Json schedule_json(const Evaluation& evaluation, const ScheduleResult& s) {
  const auto figure = [&](std::string_view key) { return drawn(key, evaluation, s); };
  Json json = {
      {"name", s.name},
      {"schedule", to_string(s.derived->schedule)},
      {"system", s.system.empty() ? Json(nullptr) : Json(s.system)},
      {"assumptions", s.assumptions},
      {"moves_samples", s.terms.moves_samples},
      {"knows_draw", s.terms.knows_draw},
      {"chunks", s.terms.chunks},
      {"kept_terms", s.kept_terms},
      {"ranked", s.unranked.empty()},
      {"unranked_reason", s.unranked.empty() ? Json(nullptr) : Json(s.unranked)},
      {"modules", modules_json(*s.derived)},
      {"cut", s.derived->cut.boundaries},
      {"split", split_word(s.split)},
      {"owner", s.owner.empty() ? Json(nullptr) : Json(s.owner)},
      {"owner_gap_s", s.owner_gap.value()},
      {"order", to_string(s.order)},
      {"sampled_as", sampled_as(s)},
      {"traffic_bytes", s.first.traffic.value()},
      {"interval", interval_json(s)},
      {"makespan_s", figure("makespan_s")},
      {"lower_bound_s", lower_bound(s)},
      {"speedup", figure("speedup")},
      {"speedup_interval", speedup_interval_json(evaluation, s)},
      {"peak_memory_bytes", figure("peak_memory_bytes")},
      {"memory_limit_bytes", limit_json(evaluation.memory_limit)},
      {"fits", value_or_null(fits(evaluation, s))},
      {"over_balanced", over_balanced(evaluation, s)},
      {"over_plain", over_plain(evaluation, s)},
      {"engines", engines_json(s)},
      {"mfu", figure("mfu")},
      {"tokens_per_s", figure("tokens_per_s")},
      {"tokens_per_s_per_device", figure("tokens_per_s_per_device")},
      {"model_flops", figure("model_flops")},
      {"usd_per_step", figure("usd_per_step")},
      {"useful_tokens_per_s", figure("useful_tokens_per_s")},
      {"fill", figure("fill")},
      {"usd_per_1e12_useful_tokens", figure("usd_per_1e12_useful_tokens")},
  };
  for (const StepFigure& of_step : kStepFigures) json[of_step.key] = figure(of_step.key);
  for (const char* key : {"max_spill_s", "exposed_encoder_s"}) json[key] = figure(key);
  json["planning_s"] = s.planning > Seconds() ? Json(s.planning.value()) : Json(nullptr);
  json["exposed_planning_s"] = figure("exposed_planning_s");
  json["critical_path"] = critical_path(s.draws.front().critical_path);
  json["growth"] = growth(s.growth());
  json["spill"] = spill_account(s);
  json["encoder_microbatch_s"] = encoder_times(s.encoder);
  json["warnings"] = all_warnings(evaluation, s);
  json["ranks"] = rank_rows(s);
  json["simulation"] = simulation(s.simulation);
  add_evidence(s, json);
  return json;
}

}  // namespace spillway
