#include "input/platform/overridden_keys.h"

#include <optional>
#include <string>

#include "base/number.h"

namespace spillway {
namespace {

using Tokens = std::vector<std::string>;

std::optional<std::string> of_tier(const Tokens& tokens, const Platform& platform) {
  if (tokens.size() < 3 || tokens[0] != "tiers") return std::nullopt;
  if (tokens[2] != "latency_us" && tokens[2] != "step_latency_us" && tokens[2] != "bandwidth_gbps")
    return std::nullopt;
  const auto index = number_from<std::size_t>(tokens[1]);
  if (!index || *index >= platform.tiers.size()) return std::nullopt;
  const Tier& tier = platform.tiers[*index];
  if (tier.collectives.empty()) return std::nullopt;
  return "tier " + tier.name + " has " + std::to_string(tier.collectives.size()) +
         " measured sweeps of collectives, which do not change: only groups without a sweep depend on this "
         "value " +
         tokens[2];
}

bool is_measured(const std::string& kind, const OperatorTables& tables) {
  if (kind == "gemm") return !tables.gemms.empty();
  if (kind == "grouped_gemm") return !tables.grouped_gemms.empty();
  return (kind == "attention" || kind == "attention_backward") && !tables.attentions.empty();
}

std::optional<std::string> of_efficiency(const Tokens& tokens, const Platform& platform) {
  if (tokens.size() < 3 || tokens[0] != "accelerator" || tokens[1] != "efficiency") return std::nullopt;
  if (!is_measured(tokens[2], platform.accelerator.operators)) return std::nullopt;
  return "the platform has measured times of these operators, which replace an efficiency";
}

}  // namespace

std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform) {
  std::vector<Warning> warnings;
  for (const Member& change : changes) {
    if (!change.key.starts_with('/')) continue;
    const Tokens tokens = tokens_of(change.key);
    auto why = of_tier(tokens, platform);
    if (!why) why = of_efficiency(tokens, platform);
    if (why) warnings.push_back({"measured-instead", child("/platform_set", change.key) + ": " + *why});
  }
  return warnings;
}

}  // namespace spillway
