#include "input/experiment/activations_reader.h"

#include "input/experiment/blocks.h"

namespace spillway {
namespace {

// Reads a word for the whole layer, or a list of its modules.
std::optional<Recomputation> read_what_is_recomputed(const Place& place) {
  if (!std::holds_alternative<List>(place.node->value)) {
    const auto all = read_choice<Recompute>(place, kRecomputes);
    return all ? std::optional<Recomputation>(*all) : std::nullopt;
  }
  const auto modules = read_each(place, [](const Place& p) { return read_choice<Module>(p, kModules); });
  if (!modules) return std::nullopt;
  Recomputation read;
  for (const Module module : *modules) read.modules |= module;
  return read;
}

}  // namespace

Recomputation read_recomputation(const Fields& block) {
  Recomputation read = block.get("recompute", read_what_is_recomputed).value_or(Recomputation());
  const auto layers = [](const Place& p) { return read_count(p, 1, kMostLayersOfABlock); };
  read.first = block.get("recompute_layers", layers);
  if (read.first) {
    block.forbid("recompute_every", "no such key beside recompute_layers");
    block.forbid("recompute_together", "no such key beside recompute_layers");
    return read;
  }
  read.every = block.get("recompute_every", layers).value_or(read.every);
  if (read.every > 1)
    block.forbid("recompute_together", "no such key beside recompute_every");
  else
    read.together = block.get("recompute_together", layers).value_or(read.together);
  return read;
}

std::optional<Offload> read_offload(const Place& place) {
  if (!std::holds_alternative<List>(place.node->value)) {
    const auto what = read_choice<OffloadWhat>(place, kOffloads);
    return what ? std::optional<Offload>(*what) : std::nullopt;
  }
  const auto modules =
      read_each(place, [](const Place& p) { return read_choice<OffloadModule>(p, kOffloadModules); });
  if (!modules) return std::nullopt;
  Offload read;
  for (const OffloadModule module : *modules) read |= module;
  return read;
}

}  // namespace spillway
