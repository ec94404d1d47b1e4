#include "input/experiment/experiment.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "cost/layers/context_parallel.h"
#include "draws/costs.h"
#include "draws/schedule_facts.h"
#include "experiment/derive_options.h"
#include "experiment/encoder_images.h"
#include "experiment/experiment.h"
#include "experiment/parameter.h"
#include "input/experiment/blocks.h"
#include "input/experiment/equal_terms.h"
#include "input/experiment/idle_keys.h"
#include "input/experiment/schedule_reader.h"
#include "input/experiment/system_reader.h"
#include "input/experiment/warnings.h"
#include "input/experiment/what_if_reader.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/place.h"
#include "json/settings.h"
#include "json/text_file.h"

namespace spillway {
namespace {

// Limits of sizes and of their products, checked before anything of that size is allocated. A draw holds
// every microbatch of every replica; figures hold every rank of every replica. order_stream.h limits the
// order of a schedule, check_whole_timelines whole timelines.
constexpr std::uint32_t kMostPerSize = 1'000'000;
constexpr std::uint64_t kMostHeld = 8'000'000;
constexpr std::uint64_t kMostSlots = 1'000'000'000;

using TransferWord = std::pair<std::string_view, PointToPoint>;
constexpr std::array<TransferWord, 2> kTransfers = {
    {{"overlapped", PointToPoint::Overlapped}, {"blocking", PointToPoint::Blocking}}};

using CollectivesWord = std::pair<std::string_view, InnerCollectives>;
constexpr std::array<CollectivesWord, 2> kCollectives = {
    {{"priced", InnerCollectives::Priced}, {"flows", InnerCollectives::Flows}}};

bool are_small_enough(const Pipeline& pipeline, const Place& place) {
  const std::uint32_t ranks = pipeline.ranks, microbatches = pipeline.microbatches,
                      replicas = pipeline.replicas;
  const auto at_most = [&](const std::string& sizes, double product, std::uint64_t most) {
    if (product <= static_cast<double>(most)) return true;
    place.findings->add(
        place.pointer, sizes + " of at most " + std::to_string(most),
        std::to_string(ranks) + " x " + std::to_string(microbatches) + " x " + std::to_string(replicas));
    return false;
  };
  return at_most("ranks x microbatches x replicas", static_cast<double>(ranks) * microbatches * replicas,
                 kMostSlots) &&
         at_most("microbatches x replicas", static_cast<double>(microbatches) * replicas, kMostHeld) &&
         at_most("ranks x replicas", static_cast<double>(ranks) * replicas, kMostHeld);
}

std::optional<Pipeline> read_pipeline(const Place& place) {
  const Fields fields(place, {"ranks", "microbatches", "replicas"});
  const auto read_size = [](const Place& p) { return read_count(p, 1, kMostPerSize); };
  const auto ranks = fields.need("ranks", read_size);
  const auto microbatches = fields.need("microbatches", read_size);
  const auto replicas = fields.at("replicas") ? fields.get("replicas", read_size) : std::optional(1U);
  if (!ranks || !microbatches || !replicas) return std::nullopt;
  const Pipeline pipeline{*ranks, *microbatches, *replicas};
  return are_small_enough(pipeline, place) ? std::optional(pipeline) : std::nullopt;
}

struct Network {
  PointToPoint p2p = PointToPoint::Overlapped;
  Seconds time;
  std::optional<Seconds> reduction;
  InnerCollectives collectives = InnerCollectives::Priced;
};

// Given durations come with a given time of transfers. Otherwise a platform prices transfers.
Network read_network(const Fields& experiment, bool analytic) {
  const std::optional<Place> place = experiment.at("network");
  if (!place) return {};
  const Fields fields(*place, analytic ? std::vector<std::string_view>{"p2p", "collectives"}
                                       : std::vector<std::string_view>{"p2p_ms", "reduction_ms", "p2p"});
  const auto p2p = fields.get("p2p", [](const Place& p) { return read_choice<PointToPoint>(p, kTransfers); });
  const auto read_time = [](const Place& p) -> std::optional<Seconds> {
    const auto ms = read_number(p, kNotNegative);
    return ms ? std::optional(milliseconds(*ms)) : std::nullopt;
  };
  const auto time = analytic ? std::nullopt : fields.get("p2p_ms", read_time);
  const auto reduction = analytic ? std::nullopt : fields.get("reduction_ms", read_time);
  const auto read_collectives = [](const Place& p) { return read_choice<InnerCollectives>(p, kCollectives); };
  const auto collectives = analytic ? fields.get("collectives", read_collectives) : std::nullopt;
  return {p2p.value_or(PointToPoint::Overlapped), time.value_or(Seconds()), reduction,
          collectives.value_or(InnerCollectives::Priced)};
}

std::optional<ScheduleSurroundings> surroundings(const std::optional<ReadModel>& read,
                                                 const std::optional<Pipeline>& pipeline, PointToPoint p2p) {
  if (!read || !pipeline) return std::nullopt;
  return ScheduleSurroundings{read->model, common_options(*pipeline, p2p, read->costs), &read->costs};
}

std::optional<std::size_t> read_schedule_name(const Place& place,
                                              const std::vector<ScheduleSpec>& schedules) {
  std::vector<std::string_view> names;
  for (const ScheduleSpec& schedule : schedules) names.push_back(schedule.name);
  return read_word(place, names);
}

std::optional<FitSpec> read_fit(const Place& place, const Experiment& experiment) {
  const Fields fields(place, {"pointer", "schedule", "makespan_s"});
  const auto pointer = fields.need("pointer", [&](const Place& p) -> std::optional<std::string> {
    std::optional<std::string> text = read_text(p);
    if (text && is_parameter(experiment, *text)) return text;
    if (text)
      p.refuse("the pointer of a number that can be fitted, such as \"" + some_parameter(experiment) + '"');
    return std::nullopt;
  });
  const auto schedule =
      fields.need("schedule", [&](const Place& p) { return read_schedule_name(p, experiment.schedules); });
  const auto makespan = fields.need("makespan_s", [](const Place& p) { return read_number(p, kPositive); });
  if (!pointer || !schedule || !makespan) return std::nullopt;
  return FitSpec{*pointer, *schedule, Seconds(*makespan)};
}

// A memory limit is compared with bytes, so every byte has to be stated.
std::optional<Bytes> read_memory_limit(const Fields& experiment, const std::optional<ReadModel>& read) {
  const std::optional<Place> place = experiment.at("memory");
  if (!place) return std::nullopt;
  const auto limit =
      Fields(*place, {"limit_gb"}).need("limit_gb", [](const Place& p) { return read_number(p, kPositive); });
  const auto* given = read ? std::get_if<GivenCosts>(&read->costs) : nullptr;
  if (given && !states_memory(*given, read->model))
    place->refuse(
        "activation_bytes in the profile of every block that runs a backward, which a memory limit needs");
  return limit ? std::optional(gigabytes(*limit)) : std::nullopt;
}

struct Heading {
  std::string name;
  std::vector<std::string> assumptions;
  std::uint64_t seed;
  std::uint32_t draws;
};

std::optional<Heading> read_heading(const Fields& experiment) {
  require_schema(experiment, "spillway/experiment/1");
  const auto name = experiment.need("name", read_text);
  experiment.get("note", read_text);
  auto assumptions = experiment.get("assumptions", [](const Place& p) { return read_each(p, read_text); });
  const auto seed = experiment.get(
      "seed", [](const Place& p) { return read_whole(p, 0, std::numeric_limits<std::uint64_t>::max()); });
  const auto draws = experiment.get("draws", [](const Place& p) { return read_count(p, 1, kMostDraws); });
  if (!name) return std::nullopt;
  return Heading{*name, std::move(assumptions).value_or(std::vector<std::string>{}), seed.value_or(1),
                 draws.value_or(1)};
}

constexpr const char* kLinearInPatches =
    "work drawn from images is linear in their patches; the quadratic cost of attention within an image is "
    "left out";

bool has_image_work(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return given && std::any_of(given->blocks.begin(), given->blocks.end(),
                              [](const BlockProfile& block) { return block.image_work.has_value(); });
}

constexpr const char* kRepeatedHeads =
    "if there are fewer key/value heads than tensor x context devices, they are repeated to the number of "
    "query heads before they are exchanged (as MindSpeed does; Transformer Engine refuses this)";

bool repeats_heads(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced || priced->parallelism.context == 1) return false;
  const AnalyticCosts& costs = *priced;
  return std::ranges::any_of(costs.blocks, [&](const BlockCosts& block) {
    const SharedStack stack = costs.stacks->trained(block.trained());
    return stack->unit == LoadUnit::Token &&
           repeats_key_value_heads(stack->key_value_heads, costs.parallelism);
  });
}

constexpr const char* kVideosHaveFrames =
    "every video has as many frames as are sampled, and one device encodes the whole of it; decoding is not "
    "counted";
constexpr const char* kAudioIsReady = "hosts make the mel frames of audio, which is not counted";

constexpr const char* kSizesAreKnown =
    "its plan knows the work of each microbatch in advance, since work_per_microbatch states it";

// Reads the keys that refer to schedules and costs, which have been read.
void read_references(const Fields& fields, Experiment& experiment) {
  const auto read_baseline = [&](const Place& p) { return read_schedule_name(p, experiment.schedules); };
  experiment.baseline = fields.get("baseline", read_baseline).value_or(0);
  const auto read_one = [&](const Place& p) { return read_fit(p, experiment); };
  const auto read_fits = [&](const Place& p) { return read_each(p, read_one); };
  require_once(fields, "fit", "pointer");
  require_once(fields, "fit", "schedule");  // a second fit would undo the first
  experiment.fits = fields.get("fit", read_fits).value_or(std::vector<FitSpec>{});
}

std::vector<Warning> read_overridden(const Fields& fields, const Experiment& experiment) {
  const auto changes = fields.at("platform_set");
  const AnalyticCosts* priced = on_platform(experiment.costs);
  const auto* object = changes ? std::get_if<Object>(&changes->node->value) : nullptr;
  if (!object || !priced) return {};
  return overridden_keys(*object, priced->platform);
}

// Returns, for example, "server.csv", "1", or "a histogram of its own".
std::string source_text(const Node& source) {
  if (const auto* path = std::get_if<std::string>(&source.value)) return path->substr(path->rfind('/') + 1);
  return std::holds_alternative<Object>(source.value) ? "a histogram of its own" : describe(source);
}

// Returns, for example, "image sizes: a.csv; images per sample: 1"; empty if nothing is drawn.
std::string samples_sentence(const Fields& fields) {
  const auto workload = fields.at("workload");
  const auto* members = workload ? std::get_if<Object>(&workload->node->value) : nullptr;
  if (!members) return {};
  std::vector<std::string> parts;
  constexpr std::array<std::pair<const char*, const char*>, 5> kSources{
      {{"trace", "image sizes: "},
       {"images_per_sample", "images per sample: "},
       {"text_tokens", "text tokens per sample: "},
       {"text_only_share", "share of samples without images: "},
       {"max_patches", "most patches per microbatch: "}}};
  for (const auto& [key, words] : kSources)
    if (const Node* source = find(*members, key)) parts.push_back(words + source_text(*source));
  if (const Node* audio = find(*members, "audio"))
    parts.push_back("audio: " + source_text(*member(audio, "trace")) +
                    "; clips per sample: " + source_text(*member(audio, "clips_per_sample")));
  return joined(parts, "; ");
}

// Audio takes no part in the traffic of images that are encoded elsewhere.
void refuse_moved_audio(const Place& schedules, const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!analytic || analytic->workload.clips.patches.empty()) return;
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i)
    if (experiment.schedules[i].regrouping.rule != Regrouping::Rule::AsDrawn)
      schedules.findings->add(child(schedules.pointer, std::to_string(i)),
                              "a schedule that computes audio where it was drawn: the transfer of clips to "
                              "other replicas or microbatches is not modelled",
                              describe({experiment.schedules[i].name}));
}

// Contract: the experiment has no violations.
void add_remarks(const Place& place, const Fields& fields, Experiment& experiment) {
  if (repeats_heads(experiment)) experiment.assumptions.emplace_back(kRepeatedHeads);
  if (const auto assumed = assumption_on_images(experiment); assumed && has_several_devices(experiment))
    experiment.assumptions.emplace_back(*assumed);
  const auto drawn = workloads(experiment);
  if (std::ranges::any_of(drawn, [](const auto& of) { return of.spec.patches.videos > 0; }))
    experiment.assumptions.emplace_back(kVideosHaveFrames);
  if (std::ranges::any_of(drawn, [](const auto& of) { return !of.spec.clips.patches.empty(); }))
    experiment.assumptions.emplace_back(kAudioIsReady);
  experiment.samples_from = samples_sentence(fields);
  for (ScheduleSpec& schedule : experiment.schedules)
    if (plans_on_stated_sizes(schedule, experiment.costs)) schedule.assumptions.emplace_back(kSizesAreKnown);
  experiment.warnings = read_overridden(fields, experiment);
  if (auto remark = role_remark(experiment)) experiment.warnings.push_back(*std::move(remark));
  experiment.idle_keys = idle_keys(*place.node, experiment);
}

}  // namespace

std::optional<Experiment> read_experiment(const Place& place) {
  const Fields fields(place,
                      {"schema",       "name",      "note",          "assumptions", "pipeline",  "platform",
                       "platform_set", "framework", "framework_set", "parallel",    "model",     "workload",
                       "memory",       "seed",      "draws",         "network",     "schedules", "baseline",
                       "fit",          "what_if",   "equal_terms",   "measured"});
  const auto heading = read_heading(fields);
  const auto pipeline = fields.need("pipeline", read_pipeline);
  const bool analytic = is_analytic(fields);
  const Network network = read_network(fields, analytic);
  for (const char* key : {"parallel", "platform_set", "framework", "framework_set", "measured"})
    if (!analytic) fields.forbid(key, "no such key, since blocks have profiles");
  if (network.collectives == InnerCollectives::Flows)
    fields.forbid("measured", "no such key, since the replay runs collectives as flows");
  const WhatIf what_if = read_what_if(fields, analytic, network.collectives);
  auto model = analytic ? read_analytic(fields, pipeline)
                        : read_given(fields, pipeline, network.time, network.reduction);
  const auto memory_limit = read_memory_limit(fields, model);
  const auto around = surroundings(model, pipeline, network.p2p);
  auto schedules = fields.need("schedules", [&](const Place& p) { return read_schedules(p, around); });
  const auto asked = read_equal_terms(fields);
  if (!heading || !pipeline || !model || !schedules || schedules->empty()) return std::nullopt;
  std::optional<Terms> terms;
  if (asked && fields.findings().empty())
    terms = play_on_equal_terms(*asked, *fields.at("schedules"), *around, *schedules);
  Experiment experiment{.name = heading->name,
                        .assumptions = heading->assumptions,
                        .pipeline = *pipeline,
                        .model = std::move(model->model),
                        .point_to_point = network.p2p,
                        .collectives = network.collectives,
                        .costs = std::move(model->costs),
                        .schedules = *std::move(schedules),
                        .seed = heading->seed,
                        .draws = heading->draws,
                        .memory_limit = memory_limit,
                        .equal_terms = terms,
                        .what_if = what_if};
  for (std::string& assumption : assumptions_of(what_if))
    experiment.assumptions.push_back(std::move(assumption));
  if (has_image_work(experiment)) experiment.assumptions.emplace_back(kLinearInPatches);
  read_references(fields, experiment);
  if (fields.findings().empty()) settle(*fields.at("schedules"), experiment);
  check_what_if(fields, experiment);
  refuse_moved_audio(*fields.at("schedules"), experiment);
  if (fields.findings().empty()) add_remarks(place, fields, experiment);
  return experiment;
}

Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<Setting>& settings, const Files& files) {
  Findings findings(file);
  std::optional<Node> document = parse_json(text, findings);
  if (!document || is_another_kind(*document, "experiment", findings)) findings.throw_if_any();
  const Node written = *document;
  apply(settings, *document, findings);
  std::optional<Experiment> experiment = read_experiment(Place{&*document, "", &findings, &files});
  findings.throw_if_any();
  for (Warning& warning : carried_along(written, *document))
    experiment->warnings.push_back(std::move(warning));
  return *std::move(experiment);
}

Experiment read_experiment(const Source& source, const std::vector<Setting>& settings, const Files& files) {
  if (source.text) return parse_experiment(*source.text, source.file, settings, files);
  Findings findings(source.file);
  const std::optional<std::string> text = read_file(source.file, findings, files);
  findings.throw_if_any();
  return parse_experiment(*text, source.file, settings, files);
}

}  // namespace spillway
