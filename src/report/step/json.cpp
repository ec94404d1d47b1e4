#include "report/step/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/version.h"
#include "evaluate/memory_limit.h"
#include "maxplus/steady_state.h"
#include "report/step/baselines.h"
#include "report/step/explain_spill.h"
#include "report/words/spread.h"
#include "spec/json/dumped.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// A number of one draw, an object of several, whatever they are; null where one of them is no number.
Json figure(const std::vector<double>& by_draw) {
  if (!std::all_of(by_draw.begin(), by_draw.end(), [](double value) { return std::isfinite(value); }))
    return nullptr;
  if (by_draw.size() == 1) return by_draw.front();
  const Spread s = spread(by_draw);
  return {{"mean", s.mean}, {"p5", s.p5}, {"p50", s.p50}, {"p95", s.p95}, {"p99", s.p99}, {"ci95", s.ci95}};
}

// `value_of` is asked once per draw.
template <class ValueOf>
Json over_draws(const ScheduleResult& schedule, ValueOf value_of) {
  std::vector<double> by_draw;
  for (const DrawResult& draw : schedule.draws) by_draw.push_back(value_of(draw));
  return figure(by_draw);
}

Json engine_figure(const ScheduleResult& schedule, std::optional<Seconds> DrawResult::*engine) {
  if (!(schedule.draws.front().*engine).has_value()) return nullptr;
  return over_draws(schedule, [&](const DrawResult& draw) { return (draw.*engine)->value(); });
}

Json engines(const ScheduleResult& schedule) {
  return {{"longest_path_s", engine_figure(schedule, &DrawResult::longest_path)},
          {"max_plus_s", engine_figure(schedule, &DrawResult::max_plus)},
          {"simgrid_s", engine_figure(schedule, &DrawResult::simgrid)}};
}

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
Json spill_figure(const ScheduleResult& schedule, Seconds StepSpill::*part) {
  if (!schedule.draws.front().spill) return nullptr;
  return over_draws(schedule, [&](const DrawResult& d) { return ((*d.spill).*part).value(); });
}

Json rank_spill_figure(const ScheduleResult& schedule, std::size_t row, Seconds RankSpill::*part) {
  if (!schedule.draws.front().spill) return nullptr;
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

// The most on any device, by draw; null where memory was not computed.
Json schedule_peak(const ScheduleResult& schedule) {
  if (schedule.draws.front().memory.empty()) return nullptr;
  return over_draws(schedule, [](const DrawResult& draw) {
    Bytes most;
    for (const PeakMemory& peak : draw.memory) most = std::max(most, peak.parts.total());
    return most.value();
  });
}

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json limit_json(const std::optional<MemoryLimit>& limit) {
  return limit ? Json(limit->bytes.value()) : Json(nullptr);
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

Json rank_rows(const ScheduleResult& schedule) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < schedule.draws.front().ranks.size(); ++row)
    rows.push_back(rank_row(schedule, row));
  return rows;
}

Json spill_account(const ScheduleResult& schedule) {
  if (!schedule.spill) return nullptr;
  const SpillAccount& spill = *schedule.spill;
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
          {"reductions_s", shares.reductions.value()}};
}

Json simulation(const SimulationCost& cost) {
  return {{"events", cost.events},
          {"derive_s", cost.derive_s},
          {"longest_path_s", cost.longest_path_s},
          {"simgrid_s", cost.simgrid_s ? Json(*cost.simgrid_s) : Json(nullptr)}};
}

// First draw: which microbatch of the draw runs at each position.
Json sampled_as(const ScheduleResult& schedule) {
  if (schedule.sampled_as.empty()) return nullptr;
  Json by_replica = Json::array();
  for (const Permutation& order : schedule.sampled_as) {
    Json& numbers = by_replica.emplace_back(Json::array());
    for (MicrobatchId microbatch : order) numbers.push_back(microbatch.index() + 1);
  }
  return by_replica;
}

Json growth(const ScheduleResult& schedule) {
  const auto steady = steady_state(schedule.derived->order, schedule.durations);
  if (!steady) return nullptr;
  return {{"per_microbatch_s", steady->per_microbatch().value()},
          {"period", steady->period},
          {"cyclicity", steady->cyclicity()}};
}

// Null where durations are given.
template <class ValueOf>
Json throughput_figure(const ScheduleResult& schedule, ValueOf value_of) {
  if (!schedule.draws.front().account) return nullptr;
  return over_draws(schedule,
                    [&](const DrawResult& d) { return value_of(throughput(*d.account, d.makespan)); });
}

// Null where the platform has no price, and for tokens where none is of use.
Json cost_figure(const ScheduleResult& schedule, Dollars StepCost::*part) {
  const std::optional<StepAccount>& account = schedule.draws.front().account;
  if (!account || !account->price) return nullptr;
  return throughput_figure(schedule, [&](const Throughput& t) { return (*t.cost.*part).value(); });
}

Json model_flops(const ScheduleResult& schedule) {
  if (!schedule.draws.front().account) return nullptr;
  return over_draws(schedule, [](const DrawResult& d) { return d.account->model_flops.value(); });
}

// Shares of the operators' time by kind.
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
  if (schedule.operators.empty()) return;
  const EvidenceSummary summary = summarize(schedule.operators);
  json["evidence"] = evidence_shares(summary);
  json["evidence_weakest"] = to_string(summary.weakest);
  json["unmeasured"] = unmeasured(summary);
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json all = Json::array();
  for (const Warning& warning : warnings) all.push_back({{"code", warning.code}, {"text", warning.text}});
  return all;
}

// What holds for every schedule is said of each.
Json all_warnings(const Evaluation& evaluation, const ScheduleResult& schedule) {
  std::vector<Warning> all = evaluation.warnings;
  all.insert(all.end(), schedule.warnings.begin(), schedule.warnings.end());
  return warnings_json(all);
}

Json over(const ScheduleResult& reference, const ScheduleResult& schedule) {
  return {{"name", reference.name}, {"speedup", figure(speedups_over(reference, schedule))}};
}

// Null for what transposes nothing.
Json over_balanced(const Evaluation& evaluation, const ScheduleResult& schedule) {
  return schedule.beside ? over(evaluation.at(*schedule.beside), schedule) : Json(nullptr);
}

Json over_plain(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const ScheduleResult* plain = schedule.beside ? quickest_plain(evaluation) : nullptr;
  return plain ? over(*plain, schedule) : Json(nullptr);
}

Json references_json(const Evaluation& evaluation) {
  Json all = Json::array();
  for (const ScheduleResult& reference : evaluation.references)
    all.push_back(
        {{"name", reference.name},
         {"schedule", to_string(reference.derived->schedule)},
         {"makespan_s", over_draws(reference, [](const DrawResult& d) { return d.makespan.value(); })},
         {"speedup", over_draws(reference, [](const DrawResult& d) { return d.speedup; })}});
  return all;
}

Json schedule_json(const Evaluation& evaluation, const ScheduleResult& s) {
  Json json = {
      {"name", s.name},
      {"schedule", to_string(s.derived->schedule)},
      {"cut", s.derived->cut.boundaries},
      {"owner", s.owner.empty() ? Json(nullptr) : Json(s.owner)},
      {"owner_gap_s", s.owner_gap.value()},
      {"order", to_string(s.order)},
      {"sampled_as", sampled_as(s)},
      {"makespan_s", over_draws(s, [](const DrawResult& d) { return d.makespan.value(); })},
      {"speedup", over_draws(s, [](const DrawResult& d) { return d.speedup; })},
      {"peak_memory_bytes", schedule_peak(s)},
      {"memory_limit_bytes", limit_json(evaluation.memory_limit)},
      {"fits", value_or_null(fits(evaluation, s))},
      {"over_balanced", over_balanced(evaluation, s)},
      {"over_plain", over_plain(evaluation, s)},
      {"engines", engines(s)},
      {"mfu", throughput_figure(s, [](const Throughput& t) { return t.mfu; })},
      {"tokens_per_s", throughput_figure(s, [](const Throughput& t) { return t.tokens_per_second; })},
      {"tokens_per_s_per_device",
       throughput_figure(s, [](const Throughput& t) { return t.tokens_per_second_and_device; })},
      {"model_flops", model_flops(s)},
      {"usd_per_step", cost_figure(s, &StepCost::step)},
      {"useful_tokens_per_s",
       throughput_figure(s, [](const Throughput& t) { return t.useful_tokens_per_second; })},
      {"fill", throughput_figure(s, [](const Throughput& t) { return t.fill; })},
      {"usd_per_1e12_useful_tokens", cost_figure(s, &StepCost::trillion_useful_tokens)},
      {"bubble_fraction", over_draws(s, [](const DrawResult& d) { return d.bubble_fraction; })},
      {"bubble_rate", over_draws(s, [](const DrawResult& d) { return d.bubble_rate; })},
      {"max_spill_s", spill_figure(s, &StepSpill::max_spill)},
      {"exposed_encoder_s", spill_figure(s, &StepSpill::exposed_encoder)},
      {"critical_path", critical_path(s.critical_path)},
      {"growth", growth(s)},
      {"spill", spill_account(s)},
      {"encoder_microbatch_s", encoder_times(s.encoder)},
      {"warnings", all_warnings(evaluation, s)},
      {"ranks", rank_rows(s)},
      {"simulation", simulation(s.simulation)},
  };
  add_evidence(s, json);
  return json;
}

Json layout_json(const JobLayout& layout) {
  Json json = {{"ranks", layout.ranks}, {"microbatches", layout.microbatches}, {"replicas", layout.replicas}};
  const auto& on = layout.devices;
  json["tensor"] = on ? Json(on->tensor) : Json(nullptr);
  json["context"] = on ? Json(on->context) : Json(nullptr);
  json["expert"] = on ? Json(on->expert) : Json(nullptr);
  json["devices"] = on ? Json(on->all) : Json(nullptr);
  return json;
}

Json parameters_json(const std::vector<BlockParameters>& blocks) {
  if (blocks.empty()) return nullptr;
  Json json;
  for (const BlockParameters& block : blocks) json[block.block] = block.parameters;
  return json;
}

Json fitted_json(const std::vector<FittedParameter>& fitted) {
  Json all = Json::array();
  for (const FittedParameter& f : fitted)
    all.push_back({{"pointer", f.pointer},
                   {"value", f.value},
                   {"schedule", f.schedule},
                   {"target_s", f.target.value()},
                   {"reached_s", f.reached.value()}});
  return all;
}

Json inputs_json(const std::vector<PlatformInput>& inputs) {
  Json all = Json::array();
  for (const PlatformInput& input : inputs)
    all.push_back({{"name", input.name},
                   {"value", input.value},
                   {"unit", input.unit},
                   {"kind", to_string(input.evidence)},
                   {"source", input.source}});
  return all;
}

// Of all replicas; what its samples brought is packed, and then of use, or dropped.
Json workload_json(const WorkloadUse& use) {
  const auto count = [&](std::uint64_t WorkloadTally::*of) {
    std::vector<double> by_draw;
    for (const WorkloadTally& draw : use.draws) by_draw.push_back(static_cast<double>(draw.*of));
    return figure(by_draw);
  };
  return {{"pointer", use.pointer},
          {"samples", count(&WorkloadTally::samples)},
          {"clipped_samples", count(&WorkloadTally::clipped_samples)},
          {"images", count(&WorkloadTally::images)},
          {"dropped_images", count(&WorkloadTally::dropped_images)},
          {"useful_tokens", count(&WorkloadTally::useful_tokens)},
          {"dropped_tokens", count(&WorkloadTally::dropped_tokens)},
          {"computed_tokens", count(&WorkloadTally::computed_tokens)}};
}

Json workloads_json(const std::vector<WorkloadUse>& uses) {
  Json all = Json::array();
  for (const WorkloadUse& use : uses) all.push_back(workload_json(use));
  return all;
}

// How model FLOPs are counted; null where there are none.
Json flops_convention(const Evaluation& evaluation) {
  const bool counted = evaluation.schedules.front().draws.front().account.has_value();
  return counted ? Json(kFlopsConvention) : Json(nullptr);
}

}  // namespace

std::string report_json(const Evaluation& evaluation) {
  Json schedules = Json::array();
  for (const ScheduleResult& schedule : evaluation.schedules)
    schedules.push_back(schedule_json(evaluation, schedule));
  const Json report = {
      {"schema", "spillway/report/2"},
      {"program", program_version()},
      {"experiment", evaluation.experiment},
      {"platform", value_or_null(evaluation.job.platform)},
      {"seed", evaluation.job.seed},
      {"draws", evaluation.schedules.front().draws.size()},
      {"layout", layout_json(evaluation.job.layout)},
      {"parameters", parameters_json(evaluation.job.parameters)},
      {"baseline", evaluation.schedules[evaluation.baseline].name},
      {"fitted", fitted_json(evaluation.fitted)},
      {"assumptions", evaluation.assumptions},
      {"flops_convention", flops_convention(evaluation)},
      {"inputs", inputs_json(evaluation.inputs)},
      {"workloads", workloads_json(evaluation.workloads)},
      {"warnings", warnings_json(evaluation.warnings)},
      {"schedules", schedules},
      {"references", references_json(evaluation)},
  };
  return dumped(report, 2) + '\n';
}

}  // namespace spillway
