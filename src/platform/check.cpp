// Checks a platform.
#include <algorithm>

#include "base/printable.h"
#include "platform/figure_checks.h"

namespace spillway {
namespace {

void check_ports(const Platform& platform, Findings& findings) {
  if (platform.ports.empty()) findings.add("/ports", "at least one port", "none");
  for (std::size_t i = 0; i < platform.ports.size(); ++i) {
    const std::string pointer = "/ports/" + std::to_string(i);
    const std::string& name = platform.ports[i].name;
    check_figure(pointer + "/bandwidth_gbps", platform.ports[i].bandwidth, kGigabytePerSecond, findings);
    for (std::size_t j = 0; j < i; ++j)
      if (platform.ports[j].name == name)
        findings.add(pointer + "/name", "a name used once", in_quotes(name));
    const bool used = std::any_of(platform.tiers.begin(), platform.tiers.end(),
                                  [&](const Tier& tier) { return tier.port == i; });
    if (!used && !platform.tiers.empty())
      findings.add(pointer, "a port that a tier names", in_quotes(name) + ", which no tier names");
  }
}

}  // namespace

std::vector<Violation> check_platform(const Platform& platform) {
  Findings findings;
  check_accelerator(platform.accelerator, findings);
  check_ports(platform, findings);
  check_tiers(platform, findings);
  if (platform.price)
    check_figure("/price_per_device_hour_usd", *platform.price, DollarsPerHour(1), findings);
  return findings.listed();
}

}  // namespace spillway
