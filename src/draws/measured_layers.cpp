#include "draws/measured_layers.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "experiment/derive_options.h"

namespace spillway {
namespace {

void add(std::vector<std::pair<double, double>>& all, std::span<const Sequences> some) {
  for (const auto& [count, length] : some) {
    const auto same = std::ranges::find(all, length, &std::pair<double, double>::first);
    if (same == all.end())
      all.emplace_back(length, count);
    else
      same->second += count;
  }
}

MicrobatchLoad load_of(const MeasuredSize& size) {
  MicrobatchLoad load{};
  for (const std::uint32_t patches : size.patches) load.media.emplace_back(patches);
  load.samples = 1;
  load.documents = size.sequences;
  for (const std::uint32_t tokens : size.sequences) load.sequence_tokens += tokens;
  load.text_tokens = load.sequence_tokens;
  return load;
}

AnalyticCosts as_measured(const AnalyticCosts& costs) {
  AnalyticCosts measured = costs.before_what_if ? *costs.before_what_if : costs;
  measured.parallelism = costs.measured->layout;
  for (std::size_t block = 0; block < measured.blocks.size(); ++block)
    measured.blocks[block].recompute = costs.measured->recompute[block];
  measured.measured = nullptr;
  measured.before_what_if = nullptr;
  return measured;
}

// At least as many replicas as an expert-parallel group spans.
std::uint32_t replicas_of(const AnalyticCosts& costs, std::uint32_t replicas) {
  const std::uint32_t joined = joined_replicas(costs.parallelism);
  return joined * std::max(1U, replicas / joined);
}

// Those of the job may each stand for several. Those stated of the measured job are all that it had.
MeasuredUpdates updates_of(AnalyticCosts costs, const Model& model, std::uint32_t replicas,
                           const LayerKinds& kinds, const PassTable& measured) {
  if (measured.replicas) costs.equal_replicas = 1;
  return {costs, model, replicas_of(costs, measured.replicas.value_or(replicas)), kinds, measured};
}

}  // namespace

Outline outline_apart(const Model& model, Pipeline pipeline, const LayerKinds& kinds,
                      const AnalyticCosts& costs) {
  pipeline.ranks = 1;
  DeriveOptions options{.pipeline = pipeline};
  options.joined_replicas = joined_replicas(costs);
  Outline outline = derive_outline(model, Schedule{{SkeletonKind::GPipe}}, Cut{}, options);
  outline.stages = stages_apart(kinds);
  return outline;
}

LayersUnderLoads::LayersUnderLoads(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline,
                                   const LayerKinds& kinds, std::shared_ptr<const DrawLoads> loads,
                                   PricedSlabs& known)
    : outline_(std::make_unique<const Outline>(outline_apart(model, pipeline, kinds, costs))),
      loads_(std::move(loads)) {
  const auto slabs = std::make_shared<const StageSlabs>(costs, *outline_);
  for (const std::uint32_t first : kinds.firsts)
    for (std::size_t block = 0; block < model.blocks().size(); ++block)
      if (model.part_of(block, {first, first + 1}).size() > 0)
        blocks_.push_back({block, slabs->blocks[block].over_patches()});
  costs_ = std::make_unique<const AnalyticCostModel>(
      costs, *outline_, slabs,
      std::make_shared<const CollectiveUses>(collective_uses(costs, *outline_, *slabs)), loads_, known);
}

LayerSize LayersUnderLoads::size(std::size_t kind, MicrobatchId microbatch, ReplicaId replica) const {
  if (!over_patches(kind)) {
    const TokenLoad& tokens = loads_->tokens(replica, microbatch);
    return {tokens.sequence, tokens.pairs};
  }
  LayerSize most;
  for (const DeviceImages& device : loads_->devices(blocks_[kind].block, loads_->cell(replica, microbatch)))
    if (device.patches > most.tokens) most = {device.patches, pairs_of(device.images)};
  return most;
}

ReadContent LayersUnderLoads::content(const KindCounts& counts, MicrobatchId microbatch,
                                      ReplicaId replica) const {
  ReadContent content;
  std::optional<std::size_t> encoder;
  bool tokens = false;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] == 0) continue;
    if (over_patches(kind)) encoder = blocks_[kind].block;
    tokens = tokens || !over_patches(kind);
  }
  if (tokens) add(content.sequences, loads_->tokens(replica, microbatch).sequences);
  if (encoder)
    for (const DeviceImages& device : loads_->images(*encoder, loads_->cell(replica, microbatch)))
      add(content.images, device.images);
  std::ranges::sort(content.sequences, std::greater<>());
  std::ranges::sort(content.images, std::greater<>());
  return content;
}

MeasuredLayers::MeasuredLayers(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline)
    : costs_(as_measured(costs)),
      model_(model),
      kinds_(layer_kinds(model, costs_)),
      passes_(costs.measured->passes),
      updates_(updates_of(costs_, model, pipeline.replicas, kinds_, *costs.measured)) {
  std::vector<MicrobatchLoad> all = place_microbatches();
  const Pipeline one{1, static_cast<std::uint32_t>(all.size()), replicas_of(costs_, pipeline.replicas)};
  const auto loads =
      std::make_shared<const DrawLoads>(draw_loads(costs_, Draw(one.replicas, std::move(all))));
  PricedSlabs known;
  const LayersUnderLoads layers(costs_, model, one, kinds_, loads, known);
  group(layers);
  fit(layers);
  kept_ = kept_by(layers);
}

// Returns the microbatches of all passes, the same in every replica; those of equal passes are there once.
std::vector<MicrobatchLoad> MeasuredLayers::place_microbatches() {
  std::vector<MicrobatchLoad> all;
  std::map<std::vector<MeasuredSize>, Microbatches> known;
  for (const MeasuredPass& pass : passes_) {
    const Microbatches next{static_cast<std::uint32_t>(all.size()),
                            static_cast<std::uint32_t>(pass.sizes.size())};
    const auto [place, is_new] = known.try_emplace(pass.sizes, next);
    if (is_new)
      for (const MeasuredSize& size : pass.sizes) all.push_back(load_of(size));
    microbatches_.push_back(place->second);
  }
  return all;
}

MeasuredKept MeasuredLayers::kept_by(const LayersUnderLoads& layers) const {
  std::vector<KeptBytes> rows;
  for (std::size_t i = 0; i < passes_.size(); ++i)
    for (const Bytes measured : passes_[i].kept) {
      KeptBytes row{counts(passes_[i].layers), {}, measured};
      const auto [first, count] = microbatches_[i];
      for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
        Bytes modelled;
        for (std::uint32_t m = first; m < first + count; ++m)
          modelled += layers.kept(kind, MicrobatchId(m), ReplicaId(0));
        row.modelled.push_back(modelled / count);
      }
      rows.push_back(std::move(row));
    }
  return {rows, kinds_.count()};
}

bool MeasuredLayers::measured_as(const AnalyticCosts& costs) const {
  const auto recomputes_alike = [](const BlockCosts& a, const BlockCosts& b) {
    return a.recompute == b.recompute;
  };
  return !costs.before_what_if && same_inside_passes(costs.parallelism, costs_.parallelism) &&
         std::ranges::equal(costs.blocks, costs_.blocks, recomputes_alike);
}

void MeasuredLayers::group(const LayersUnderLoads& layers) {
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const MeasuredPass& pass = passes_[i];
    if (pass.times.empty()) continue;
    const KindCounts own = counts(pass.layers);
    std::vector<ReadContent> contents;
    for (std::uint32_t m = 0; m < microbatches_[i].count; ++m)
      contents.push_back(layers.content(own, MicrobatchId(microbatches_[i].first + m), ReplicaId(0)));
    const auto [least, most] = std::ranges::minmax(pass.times);
    const Known begun{{.pass = pass.pass,
                       .layers = pass.layers,
                       .counts = own,
                       .contents = contents,
                       .least = least,
                       .most = most,
                       .where = pass.where},
                      microbatches_[i]};
    MeasuredGroup& group =
        groups_.try_emplace({pass.pass, own, std::move(contents)}, begun).first->second.group;
    for (const Seconds time : pass.times) group.sum += time;
    group.repeats += static_cast<std::uint32_t>(pass.times.size());
    group.least = std::min(group.least, least);
    group.most = std::max(group.most, most);
  }
}

// Of several microbatches, sizes and roofline are means: the fit is linear in them.
FitRow MeasuredLayers::row(const Known& known, const LayersUnderLoads& layers) const {
  const MeasuredGroup& group = known.group;
  FitRow row{.layers = {group.counts.begin(), group.counts.end()},
             .sizes = std::vector<LayerSize>(kinds_.count()),
             .roofline = std::vector<Seconds>(kinds_.count()),
             .time = group.mean(),
             .repeats = static_cast<double>(group.repeats)};
  const auto [first, count] = known.microbatches;
  for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
    row.least.push_back(layers.size(kind, MicrobatchId(first), ReplicaId(0)));
    row.most.push_back(row.least.back());
    for (std::uint32_t m = first; m < first + count; ++m) {
      const LayerSize size = layers.size(kind, MicrobatchId(m), ReplicaId(0));
      row.sizes[kind].tokens += size.tokens / count;
      row.sizes[kind].pairs += size.pairs / count;
      row.least[kind] = smaller(row.least[kind], size);
      row.most[kind] = larger(row.most[kind], size);
      row.roofline[kind] += layers.of(kind, group.pass, MicrobatchId(m), ReplicaId(0)) / count;
    }
    if (row.roofline[kind] == Seconds()) row.layers[kind] = 0;  // not computed: frozen, or without images
  }
  return row;
}

void MeasuredLayers::compare(MeasuredGroup& group, const FitRow& row) const {
  for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
    if (row.layers[kind] == 0) continue;
    group.roofline += row.roofline[kind] * row.layers[kind];
    group.fitted += fit(group.pass).kinds[kind].at(row.sizes[kind], row.roofline[kind]) * row.layers[kind];
  }
}

void MeasuredLayers::fit(const LayersUnderLoads& layers) {
  std::array<std::vector<FitRow>, 4> rows;
  for (const auto& [key, known] : groups_)
    rows[static_cast<std::size_t>(key.pass)].push_back(row(known, layers));
  for (std::size_t pass = 0; pass < rows.size(); ++pass) fits_[pass] = fit_passes(rows[pass], kinds_.count());
  for (auto& [key, known] : groups_) compare(known.group, row(known, layers));
}

std::optional<Seconds> MeasuredLayers::mean(const KindCounts& counts, Pass pass,
                                            const ReadContent& content) const {
  const auto found = groups_.find({pass, counts, {content}});
  return found == groups_.end() ? std::nullopt : std::optional(found->second.group.mean());
}

std::vector<MeasuredGroup> MeasuredLayers::groups() const {
  std::vector<MeasuredGroup> groups;
  for (const auto& [key, known] : groups_) groups.push_back(known.group);
  return groups;
}

}  // namespace spillway
