#include "input/experiment/adapters_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace spillway {
namespace {

constexpr std::uint32_t kMostAdapterRank = 1U << 16;
constexpr Range kDropout{.at_least = 0, .at_most = 0.999, .expected = "a number from 0 to below 1"};

// Reports a target that the model does not have, or whose weights another target adapts.
std::optional<AdapterTarget> read_target(const Place& place, AdapterTargets known, AdapterTargets before) {
  const auto target = read_choice<AdapterTarget>(place, kAdapterTargets);
  if (!target) return target;
  if (!known.meets(*target)) {
    place.refuse("a product of this model: " + names_of(known));
    return std::nullopt;
  }
  if (const auto other = adapted_already(before, *target)) {
    place.refuse("one adapter for each weight, and " + names_of(*other) + " is in the list");
    return std::nullopt;
  }
  return target;
}

// Every name, where the model is not known.
AdapterTargets all_targets() {
  AdapterTargets all;
  for (const auto& [name, target] : kAdapterTargets) all |= target;
  return all;
}

AdapterTargets read_targets(const Place& place, const Architecture* architecture) {
  const AdapterTargets known =
      architecture ? adapter_targets_of(layer_stack(*architecture).layers) : all_targets();
  AdapterTargets targets;
  const auto read = read_each(place, [&](const Place& p) {
    const auto target = read_target(p, known, targets);
    if (target) targets |= *target;
    return target;
  });
  if (read && read->empty()) place.refuse("at least one of " + names_of(known));
  return targets;
}

}  // namespace

Adapters read_adapters(const Fields& block, const Architecture* architecture, bool trained) {
  Adapters adapters;
  const auto rank = block.get("lora_rank", [](const Place& p) { return read_count(p, 1, kMostAdapterRank); });
  if (rank && !trained) block.forbid("lora_rank", "no such key, since the block is frozen");
  const bool stated = block.at("lora_rank").has_value();
  if (!stated)
    for (const char* key : {"lora_targets", "lora_dropout"})
      block.forbid(key, "no such key without lora_rank");
  if (!stated) return adapters;
  adapters.rank = rank.value_or(0);
  if (const auto place = block.at("lora_targets")) adapters.targets = read_targets(*place, architecture);
  adapters.dropout =
      block.get("lora_dropout", [](const Place& p) { return read_number(p, kDropout); }).value_or(0) > 0;
  return adapters;
}

}  // namespace spillway
