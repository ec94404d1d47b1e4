#include "draws/measured_costs.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "cost/stage_collectives.h"
#include "order/order.h"

namespace spillway {
namespace {

constexpr std::array<const char*, 4> kPassNames = {"forwards", "backwards", "input gradients",
                                                   "weight gradients"};

std::string layers_shape(LayerRange layers) {
  return "layers " + std::to_string(layers.first) + " to " + std::to_string(layers.end - 1);
}

}  // namespace

MeasuredCosts::MeasuredCosts(std::unique_ptr<CostModel> roofline, const Outline& outline, Layers layers)
    : CostsOver(std::move(roofline)), outline_(outline), layers_(std::move(layers)) {
  for (const Stage& stage : outline.stages) counts_.push_back(layers_.measured->counts(stage.layers));
  if (layers_.elsewhere) return;
  std::map<KindCounts, std::shared_ptr<const MeansByContent>> known;
  for (const KindCounts& counts : counts_) {
    auto& means = known[counts];
    if (!means) means = std::make_shared<const MeansByContent>(means_of(counts));
    means_.push_back(means);
  }
}

MeasuredCosts::MeasuredCosts(std::unique_ptr<const Outline> outline, std::unique_ptr<CostModel> roofline,
                             Layers layers)
    : MeasuredCosts(std::move(roofline), *outline, std::move(layers)) {
  own_outline_ = std::move(outline);
}

// Returns direct(pass) or, if it was not measured, what follows from the other parts of a backward. A part
// that takes no time by the roofline is not computed.
template <class Direct, class Roofline>
std::optional<MeasuredCosts::Parts> MeasuredCosts::by_parts(Pass pass, Direct direct, Roofline roofline) {
  if (auto measured = direct(pass); measured || pass == Pass::Forward) return measured;
  if (pass != Pass::Backward) {
    const Seconds whole = roofline(Pass::Backward);
    const auto backward = whole > Seconds() ? direct(Pass::Backward) : std::nullopt;
    return backward ? std::optional(*backward * (roofline(pass) / whole)) : std::nullopt;
  }
  Parts sum;
  for (const Pass part : {Pass::InputGradient, Pass::WeightGradient}) {
    if (roofline(part) == Seconds()) continue;
    const auto measured = direct(part);
    if (!measured) return std::nullopt;
    sum += *measured;
  }
  return sum;
}

MeasuredCosts::MeansByContent MeasuredCosts::means_of(const KindCounts& counts) const {
  MeansByContent all;
  std::map<ReadContent, std::uint32_t> known;
  const auto [ranks, microbatches, replicas] = outline_.pipeline;
  for (std::uint32_t replica = 0; replica < replicas; ++replica)
    for (std::uint32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
      ReadContent content = layers_.here->content(counts, MicrobatchId(microbatch), ReplicaId(replica));
      const auto next = static_cast<std::uint32_t>(all.means.size());
      const auto [place, is_new] = known.try_emplace(std::move(content), next);
      all.content.push_back(place->second);
      if (!is_new) continue;
      all.means.emplace_back();
      for (std::size_t pass = 0; pass < all.means.back().size(); ++pass)
        all.means.back()[pass] = layers_.measured->mean(counts, static_cast<Pass>(pass), place->first);
    }
  return all;
}

std::optional<MeasuredCosts::Parts> MeasuredCosts::by_mean(Pass pass, const Asked& asked) const {
  const auto [stage, microbatch, replica] = asked;
  const MeansByContent& all = *means_[stage.index()];
  const std::size_t cell = replica.index() * outline_.pipeline.microbatches + microbatch.index();
  const Means& means = all.means[all.content[cell]];
  const auto direct = [&](Pass part) -> std::optional<Parts> {
    const auto mean = means[static_cast<std::size_t>(part)];
    return mean ? std::optional(Parts{.measured = *mean * layers_.time, .extrapolated = {}, .roofline = {}})
                : std::nullopt;
  };
  const auto roofline = [&](Pass part) {
    return under().pass(part, asked.stage, asked.microbatch, asked.replica);
  };
  return by_parts(pass, direct, roofline);
}

// By the fit of the kind; nothing if it was not measured.
std::optional<MeasuredCosts::Parts> MeasuredCosts::layer_as_asked(std::size_t kind, Pass pass,
                                                                  const Asked& asked) const {
  const LayerFit& fit = layers_.measured->fit(pass).kinds[kind];
  if (!fit.measured()) return std::nullopt;
  const LayerSize size = layers_.here->size(kind, asked.microbatch, asked.replica);
  if (size.tokens == 0) return Parts();
  const Seconds roofline = layers_.here->of(kind, pass, asked.microbatch, asked.replica);
  const Seconds time = fit.at(size, roofline) * layers_.time;
  return fit.covers(size) ? Parts{time, {}, {}} : Parts{{}, time, {}};
}

std::optional<MeasuredCosts::Parts> MeasuredCosts::layer(std::size_t kind, Pass pass,
                                                         const Asked& asked) const {
  const auto direct = [&](Pass part) { return layer_as_asked(kind, part, asked); };
  const auto roofline = [&](Pass part) {
    return layers_.here->of(kind, part, asked.microbatch, asked.replica);
  };
  return by_parts(pass, direct, roofline);
}

MeasuredCosts::Parts MeasuredCosts::by_layers(Pass pass, const Asked& asked) const {
  const KindCounts& counts = counts_[asked.stage.index()];
  Parts sum;
  Seconds not_measured, all;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] == 0) continue;
    const Seconds roofline =
        layers_.here->of(kind, pass, asked.microbatch, asked.replica) * static_cast<double>(counts[kind]);
    all += roofline;
    if (const auto measured = layer(kind, pass, asked))
      sum += *measured * static_cast<double>(counts[kind]);
    else
      not_measured += roofline;
  }
  if (not_measured > Seconds())
    sum.roofline = under().pass(pass, asked.stage, asked.microbatch, asked.replica) * (not_measured / all);
  return sum;
}

MeasuredCosts::Parts MeasuredCosts::from_elsewhere(Pass pass, const Asked& asked) const {
  const MeasuredCosts& there = *layers_.elsewhere;
  const Seconds here = under().pass(pass, asked.stage, asked.microbatch, asked.replica),
                roofline = there.under().pass(pass, asked.stage, asked.microbatch, asked.replica);
  if (roofline == Seconds()) return {{}, {}, here};
  const Parts parts = there.parts(pass, asked) * (here / roofline);
  return {{}, parts.measured + parts.extrapolated, parts.roofline};
}

MeasuredCosts::Parts MeasuredCosts::parts(Pass pass, const Asked& asked) const {
  if (under().pass(pass, asked.stage, asked.microbatch, asked.replica) == Seconds()) return {};
  if (layers_.elsewhere) return from_elsewhere(pass, asked);
  if (const auto mean = by_mean(pass, asked)) return *mean;
  return by_layers(pass, asked);
}

Seconds MeasuredCosts::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  return parts(pass, {stage, microbatch, replica}).all();
}

Seconds MeasuredCosts::overlapped(const Event& event, ReplicaId replica) const {
  const auto both = [&](const Pricing& costs) {
    return costs.pass(Pass::Forward, event.stage, event.microbatch, replica) +
           costs.pass(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
  };
  const Seconds roofline = both(under());
  return roofline > Seconds() ? under().overlapped(event, replica) * (both(*this) / roofline) : both(*this);
}

InsidePass MeasuredCosts::inside(const Event& event, ReplicaId replica) const {
  const InsidePass inside = under().inside(event, replica);
  const Seconds roofline = event_seconds(under(), event, replica);
  if (roofline == Seconds()) return inside;
  const double share = event_seconds(*this, event, replica) / roofline;
  return {inside.collectives * share, inside.recomputed * share};
}

Held MeasuredCosts::held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  Held held = under().held(stage, microbatch, replica);
  const MeasuredKept& kept = layers_.measured->kept();
  if (kept.empty()) return held;
  const double factor = kept.factor(counts_[stage.index()]);
  for (Bytes* part : {&held.activations, &held.for_weight_gradient, &held.of_other_layers})
    *part = *part * factor;
  return held;
}

// The passes of an order by stage and pass, and the part of the roofline that is left.
struct MeasuredCosts::Account {
  std::map<std::tuple<Pass, std::uint32_t>, Parts> by_stage;
  Seconds left, of;              // the part that is left, and the whole of the passes that have such a part
  std::vector<Event> with_rest;  // their events
};

MeasuredCosts::Account MeasuredCosts::account(const Order& order) const {
  Account account;
  for (const Event& event : order.events()) {
    bool has_rest = false;
    for (const Run& run : runs_of(event))
      for (std::uint32_t replica = 0; replica < outline_.pipeline.replicas; ++replica) {
        const Parts one = parts(run.pass, {run.stage, run.microbatch, ReplicaId(replica)});
        account.by_stage[{run.pass, run.stage.index()}] += one;
        account.left += one.roofline;
        has_rest = has_rest || one.roofline > Seconds();
      }
    if (!has_rest) continue;
    account.with_rest.push_back(event);
    for (const Run& run : runs_of(event))
      for (std::uint32_t replica = 0; replica < outline_.pipeline.replicas; ++replica)
        account.of += under().pass(run.pass, run.stage, run.microbatch, ReplicaId(replica));
  }
  return account;
}

void MeasuredCosts::add_updates(std::vector<PricedOperator>& all) const {
  for (std::size_t stage = 0; stage < layers_.updates.size(); ++stage) {
    if (layers_.updates[stage] == Seconds()) continue;
    const Evidence evidence = layers_.elsewhere ? Evidence::Extrapolated : Evidence::Measured;
    const double copies = layers_.devices * outline_.pipeline.replicas;
    all.push_back({layers_.elsewhere ? "extrapolated optimizer" : "measured optimizer",
                   layers_shape(outline_.stages[stage].layers), evidence, layers_.updates[stage] * copies});
  }
}

std::vector<PricedOperator> MeasuredCosts::priced_operators(const Order& order) const {
  Account account = this->account(order);
  std::vector<PricedOperator> all;
  for (const auto& [key, parts] : account.by_stage) {
    const auto& [pass, stage] = key;
    const std::string shape = layers_shape(outline_.stages[stage].layers);
    for (const auto& [time, evidence, how] :
         {std::tuple(parts.measured, Evidence::Measured, "measured "),
          std::tuple(parts.extrapolated, Evidence::Extrapolated, "extrapolated ")})
      if (time > Seconds())
        all.push_back({how + std::string(kPassNames[static_cast<std::size_t>(pass)]), shape, evidence,
                       time * layers_.devices});
  }
  add_updates(all);
  if (account.with_rest.empty()) return all;
  OrderBuilder rest(outline_.pipeline.ranks);
  for (const Event& event : account.with_rest) rest.add(event);
  const auto built = std::move(rest).build();
  for (PricedOperator& one : under().priced_operators(std::get<Order>(built)))
    all.push_back({one.name, one.shape, one.evidence, one.time * (account.left / account.of)});
  return all;
}

}  // namespace spillway
