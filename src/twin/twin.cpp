#include "twin/twin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "twin/trace_rows.h"
#include "warn/measured_doubts.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 4> kDirectionWords = {"forward", "backward", "input_gradient",
                                                             "weight_gradient"};

std::string lengths_text(const std::vector<std::pair<double, double>>& lengths, const char* unit) {
  std::vector<std::uint32_t> all;
  for (const auto& [length, count] : lengths)
    all.insert(all.end(), static_cast<std::size_t>(count), static_cast<std::uint32_t>(length));
  return all.empty() ? "" : counts_text(all) + unit;
}

// "mean of 256: 2048 tokens, 1480 patches"
std::string mean_text(const std::vector<ReadContent>& contents) {
  double tokens = 0, patches = 0;
  const auto count = static_cast<double>(contents.size());
  for (const ReadContent& content : contents) {
    for (const auto& [length, sequences] : content.sequences) tokens += length * sequences / count;
    for (const auto& [length, images] : content.images) patches += length * images / count;
  }
  std::string text;
  if (tokens > 0) add_to_list(text, std::to_string(std::llround(tokens)) + " tokens");
  if (patches > 0) add_to_list(text, std::to_string(std::llround(patches)) + " patches");
  return "mean of " + std::to_string(contents.size()) + ": " + text;
}

std::string content_text(const std::vector<ReadContent>& contents) {
  if (contents.size() > 1) return mean_text(contents);
  const ReadContent& content = contents.front();
  std::string text = lengths_text(content.sequences, " tokens");
  const std::string images = lengths_text(content.images, " patches");
  if (!images.empty()) add_to_list(text, images);
  return text;
}

// Half of a backward is known if a whole one is, and the other way round.
bool is_known(const MeasuredLayers& measured, std::size_t kind, Pass pass) {
  const auto direct = [&](Pass one) { return measured.fit(one).kinds[kind].measured(); };
  if (direct(pass) || pass == Pass::Forward) return direct(pass);
  return pass == Pass::Backward ? direct(Pass::InputGradient) && direct(Pass::WeightGradient)
                                : direct(Pass::Backward);
}

std::string layers_of_kind(const Model& model, const LayerKinds& kinds, std::size_t kind) {
  const std::uint32_t first = kinds.firsts[kind];
  std::uint32_t last = first;
  for (std::uint32_t layer = first; layer < kinds.of.size(); ++layer)
    if (kinds.of[layer] == kind) last = layer;
  return layers_text(model, {first, last + 1});
}

void add_layers(TwinAccount& account, const Experiment& experiment, const MeasuredLayers& measured) {
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  const LayerKinds& kinds = measured.kinds();
  for (std::size_t kind = 0; kind < kinds.count(); ++kind)
    for (const Pass pass : {Pass::Forward, Pass::Backward, Pass::InputGradient, Pass::WeightGradient}) {
      const LayerFit& fit = measured.fit(pass).kinds[kind];
      if (!fit.measured() && (pass >= Pass::InputGradient || is_known(measured, kind, pass))) continue;
      std::size_t block = 0;
      while (experiment.model.part_of(block, {kinds.firsts[kind], kinds.firsts[kind] + 1}).size() == 0)
        ++block;
      account.layers.push_back({layers_of_kind(experiment.model, kinds, kind),
                                static_cast<std::uint32_t>(std::ranges::count(kinds.of, kind)), pass,
                                costs.stacks->trained(costs.blocks[block].trained())->unit == LoadUnit::Patch,
                                fit});
    }
}

void add_notes(TwinAccount& account, const Experiment& experiment, const MeasuredLayers& measured) {
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  if (!measured.measured_as(costs))
    account.notes.emplace_back(
        "the passes were measured with other tensor, context or expert parallel sizes, or with another "
        "recomputation, than this job has: they are extrapolated by the roofline's ratio between the two");
  const auto has = [&](FitForm form) {
    return std::ranges::any_of(account.layers, [&](const CoveredLayer& one) { return one.fit.form == form; });
  };
  if (has(FitForm::Factor))
    account.notes.emplace_back(
        "layers that were measured at one size, or only together with others, take the roofline's time times "
        "one factor: other sizes are extrapolated as the roofline grows");
  if (has(FitForm::NotMeasured))
    account.notes.emplace_back("layers that were not measured keep the roofline's time");
}

}  // namespace

std::string_view direction_word(Pass pass) {
  return kDirectionWords[static_cast<std::size_t>(pass)];
}

TwinAccount twin_account(const Experiment& experiment) {
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  const MeasuredLayers measured(costs, experiment.model, experiment.pipeline);
  TwinAccount account{.lines = {},
                      .updates = {},
                      .layers = {},
                      .deviations = {},
                      .spread = spread_of_repeats(*costs.measured)};
  for (MeasuredGroup& group : measured.groups()) {
    std::string stage = layers_text(experiment.model, group.layers);
    std::string content = content_text(group.contents);
    account.lines.push_back({std::move(stage), std::move(content), std::move(group)});
  }
  for (UpdateGroup& group : measured.updates().groups())
    account.updates.push_back({layers_text(experiment.model, group.layers), group});
  for (const Pass pass : {Pass::Forward, Pass::Backward, Pass::InputGradient, Pass::WeightGradient})
    account.deviations[static_cast<std::size_t>(pass)] = measured.fit(pass).deviation;
  for (const Warning& doubt : measured_doubts(experiment)) account.doubts.push_back(doubt.text);
  add_layers(account, experiment, measured);
  add_notes(account, experiment, measured);
  return account;
}

std::optional<MeasuredShares> measured_shares(const ScheduleResult& schedule) {
  const std::optional<EvidenceSummary>& evidence = schedule.first.evidence;
  if (!evidence) return std::nullopt;
  const double measured = evidence->share(Evidence::Measured),
               extrapolated = evidence->share(Evidence::Extrapolated);
  return MeasuredShares{measured, extrapolated, 1 - measured - extrapolated};
}

}  // namespace spillway
