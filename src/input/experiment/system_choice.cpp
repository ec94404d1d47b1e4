#include "input/experiment/system_choice.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/experiment/schedule_parts.h"

namespace spillway {
namespace {

const System* read_name(const Place& place) {
  std::vector<std::string_view> names;
  for (const System& system : systems()) names.push_back(system.name);
  const auto index = read_word(place, names);
  return index ? &systems()[*index] : nullptr;
}

constexpr std::uint32_t kMostChunks = 1024;

// Returns the options of all systems, each once.
std::vector<OptionKey> all_options() {
  std::vector<OptionKey> all;
  for (const System& system : systems())
    for (const OptionKey& option : system.options)
      if (std::ranges::find(all, option.key, &OptionKey::key) == all.end()) all.push_back(option);
  return all;
}

// Reads the terms, and refuses keys that state the same.
void read_terms(const Fields& fields, SystemOptions& options, bool& wrong) {
  const auto flag = [&](const char* key) {
    const auto value = fields.get(key, [](const Place& p) { return read_boolean(p); });
    wrong = wrong || (fields.at(key) && !value);
    return value;
  };
  options.moves_samples = flag("moves_samples");
  options.knows_draw = flag("knows_draw");
  if (options.moves_samples)
    fields.forbid("balance_samples", "no such key beside moves_samples, which states the same");
  if (options.knows_draw) fields.forbid("owner_from", "no such key beside knows_draw, which states the same");
  for (const char* key : {"body", "segments"})
    if (fields.at("chunks")) fields.forbid(key, "no such key beside chunks, which states their number");
  const auto chunks = fields.get("chunks", [](const Place& p) { return read_count(p, 1, kMostChunks); });
  wrong = wrong || (fields.at("chunks") && !chunks);
  if (!chunks) return;
  options.chunks = *chunks;
  options.body = interleaved_body(*chunks);
}

void forbid_others(const System& system, const std::vector<OptionKey>& all, const Fields& fields) {
  const std::string own = joined(std::vector<std::string>(system.options.begin(), system.options.end()));
  for (const OptionKey& option : all)
    if (std::ranges::find(system.options, option.key, &OptionKey::key) == system.options.end())
      fields.forbid(option, "no such key of " + std::string(system.name) + ", which takes " + own);
}

// Returns nothing if one of them is invalid.
std::optional<SystemOptions> read_system_options(const Fields& fields) {
  const auto body = fields.get("body", [](const Place& p) { return read_schedule_text(p); });
  const auto count = [](const Place& p) { return read_count(p); };
  const auto group = fields.get("microbatch_group", count), ranks = fields.get("encoder_ranks", count);
  SystemOptions options;
  options.split = fields.get("split", [](const Place& p) {
    return read_choice<StageSplit>(
        p, std::span(kStageSplits).first(3));  // no system but DistTrain disaggregates
  });
  options.owner =
      fields.get("owner", [](const Place& p) { return read_choice<OwnerPolicy>(p, kOwnerPolicies); });
  options.owner_from_draw = fields.get("owner_from", read_owner_from_draw);
  options.order =
      fields.get("order", [](const Place& p) { return read_choice<MicrobatchOrder>(p, kMicrobatchOrders); });
  const auto layers = fields.get("transposed_layers", [](const Place& p) { return read_count(p, 0); });
  const auto ownership = fields.get("ownership", [](const Place& p) {
    return read_word(p, {"full", "min"});
  });
  options.balance_samples =
      fields.get("balance_samples", [](const Place& p) { return read_boolean(p); }).value_or(false);
  const auto macro_batch = fields.get("macro_batch", count), replicas = fields.get("group_replicas", count);
  const auto segments = fields.get("segments", [&](const Place& p) {
    return read_each(p, [](const Place& each) { return read_count(each); });
  });
  const auto parts = fields.get("sub_microbatches", count);
  for (const OptionKey& option : all_options())
    if (option.is_flag && fields.get(option, [](const Place& p) { return read_boolean(p); }) == true)
      options.flags.push_back(option);
  options.transposed_layers = layers;
  options.min_ownership = ownership.value_or(0) == 1;
  bool wrong = (fields.at("transposed_layers") && !layers) || (fields.at("body") && !body) ||
               (fields.at("microbatch_group") && !group) || (fields.at("encoder_ranks") && !ranks) ||
               (fields.at("macro_batch") && !macro_batch) || (fields.at("group_replicas") && !replicas) ||
               (fields.at("segments") && !segments) || (fields.at("sub_microbatches") && !parts);
  if (wrong) return std::nullopt;
  if (body) options.body = *body;
  read_terms(fields, options, wrong);
  if (wrong) return std::nullopt;
  options.microbatch_group = group.value_or(0);
  options.encoder_ranks = ranks.value_or(0);
  options.macro_batch = macro_batch.value_or(0);
  options.group_replicas = replicas.value_or(0);
  options.segments = segments.value_or(std::vector<std::uint32_t>{});
  options.sub_microbatches = parts.value_or(0);
  return options;
}

}  // namespace

std::vector<std::string_view> system_keys() {
  const std::vector<OptionKey> options = all_options();
  std::vector<std::string_view> keys(options.begin(), options.end());
  keys.insert(keys.end(), kTermKeys.begin(), kTermKeys.end());
  keys.push_back("system");
  return keys;
}

std::optional<SystemChoice> read_system_choice(const Fields& fields) {
  const System* system = read_name(*fields.at("system"));
  if (system) forbid_others(*system, all_options(), fields);
  auto options = read_system_options(fields);
  if (!system || !options) return std::nullopt;
  return SystemChoice{system, *std::move(options)};
}

}  // namespace spillway
