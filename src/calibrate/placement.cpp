#include "calibrate/placement.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

std::optional<Violation> unplaced(const Platform& platform, const Samples& samples) {
  if (samples.placement == DevicePlacement::Stated || samples.messages.empty()) return std::nullopt;
  const Tier& node = platform.tiers[server_tier(platform)];
  const MessageSample& widest = *std::ranges::max_element(samples.messages, {}, &MessageSample::devices);
  const std::string devices = std::to_string(widest.devices);
  const std::string ask = "the number of devices in a " + node.name + " of " + platform.name +
                          ", which holds " + std::to_string(node.devices) + " (--per-node)";
  if (samples.placement == DevicePlacement::Assumed) {
    if (widest.neighbours <= node.devices) return std::nullopt;
    return Violation{samples.files.front(), "/", ask, devices + " devices, and nothing says where"};
  }
  const bool hosts_are_nodes = node.name == "node";
  if (hosts_are_nodes || widest.neighbours == widest.devices || widest.neighbours >= node.devices)
    return std::nullopt;
  return Violation{samples.files.front(), "/", ask + ": it may hold several hosts",
                   devices + " devices on hosts, " + std::to_string(widest.neighbours) + " each"};
}

}  // namespace

void require_placement(const Platform& platform, const std::vector<Measurements>& measurements) {
  std::vector<Violation> violations;
  for (const Measurements& one : measurements)
    if (auto violation = unplaced(platform, one.samples)) violations.push_back(*std::move(violation));
  if (!violations.empty()) throw InputError(std::move(violations));
}

}  // namespace spillway
