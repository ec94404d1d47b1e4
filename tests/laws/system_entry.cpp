// Systems, each with some of the options that it accepts. An option without a row here is never drawn;
// keys_test.cpp reports it.
#include <algorithm>
#include <map>
#include <string>

#include "dice.h"
#include "shape.h"
#include "support/skeletons.h"
#include "systems/system.h"

namespace spillway::testing {
namespace {

using Draw = Json (*)(const Shape&);

Json flag(const Shape&) {
  return !one_in(3);
}

Json few(const Shape&) {
  return number(1, 3);
}

Json body(const Shape&) {
  if (one_in(2)) return one_in(2) ? "1f1b,1f1b" : "1f1b";
  return std::string(kPipelined[number(0, kPipelined.size() - 1)]);
}

Json group(const Shape& shape) {
  return shape.ranks + number(0, 2);
}

// Only small jobs search: a search prices the step hundreds of times.
Json owner(const Shape& shape) {
  return any_of<std::string>(
      {"round-robin", "blocked", "greedy", "min-max", shape.microbatches <= 5 ? "makespan" : "greedy"});
}

Json order(const Shape& shape) {
  return any_of<std::string>({"as-sampled", "heaviest-first", "lightest-first", "fill-intervals",
                              shape.microbatches <= 5 ? "makespan" : "fill-intervals"});
}

Json segments(const Shape& shape) {
  if (one_in(4)) return Json::array({1});
  Json list = Json::array();
  for (std::size_t i = 0; i < shape.modules.size(); ++i) list.push_back(number(1, 2));
  return list;
}

Json modules(const Shape& shape) {
  if (one_in(3)) return "solved";
  return module_list(shape);
}

const std::map<std::string_view, Draw>& draws() {
  static const std::map<std::string_view, Draw> all = {
      {"balance_samples", flag},
      {"chunks", few},
      {"body", body},
      {"encoder_ranks", few},
      {"group_replicas", [](const Shape& shape) -> Json { return number(1, shape.replicas); }},
      {"knows_draw", flag},
      {"macro_batch", few},
      {"microbatch_group", group},
      {"modules", modules},
      {"moves_samples", flag},
      {"order", order},
      {"owner", owner},
      {"owner_backward", flag},
      {"owner_from", [](const Shape&) -> Json { return one_in(2) ? "draw" : "expected"; }},
      {"ownership", [](const Shape&) -> Json { return one_in(2) ? "full" : "min"; }},
      {"prefetch", flag},
      {"segments", segments},
      {"split",
       [](const Shape&) -> Json {
         return any_of<std::string>({"by-count", "balanced", "joint"});
       }},
      {"sub_microbatches", few},
      {"transposed_layers", [](const Shape& shape) -> Json { return number(0, shape.encoder()); }}};
  return all;
}

// States layers for `regions` regions after the encoder or over all layers, as a user would.
void state_stages(const Shape& shape, Json& entry) {
  const std::string text = entry.value("body", "1f1b");
  const auto regions = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), ',')) + 1;
  const bool transposed = one_in(2);
  const std::uint32_t first = transposed ? shape.encoder() : 0, stages = regions * shape.ranks;
  if (shape.layers() < first + stages) return;
  const std::vector<std::uint32_t> layers = parts_of(shape.layers() - first, stages);
  Json cut = Json::array();
  std::uint32_t end = first;
  if (transposed) cut.push_back(end);
  for (std::uint32_t stage = 0; stage + 1 < stages; ++stage) {
    end += layers[stage];
    if ((stage + 1) % shape.ranks == 0) cut.push_back(end);
  }
  for (const char* rule : {"split", "encoder_ranks"}) entry.erase(rule);
  entry["layers_per_rank"] = layers;
  if (!cut.empty()) entry["cut"] = cut;
}

}  // namespace

Json system_entry(const Shape& shape) {
  const System& system = any_of(std::vector<System>(systems().begin(), systems().end()));
  Json entry = {{"name", "system"}, {"system", std::string(system.name)}};
  for (const std::string_view option : system.options)
    if (const auto draw = draws().find(option); draw != draws().end() && one_in(2))
      entry[std::string(option)] = draw->second(shape);
  for (const std::string_view term : kTermKeys)
    if (one_in(4)) entry[std::string(term)] = draws().at(term)(shape);
  if (one_in(6)) state_stages(shape, entry);
  if (one_in(3)) entry["planning_ms"] = number(0, 400) * 0.5;
  return entry;
}

}  // namespace spillway::testing
