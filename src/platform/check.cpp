// What keeps a platform from being one.
#include <algorithm>

#include "platform/complaints.h"

namespace spillway {
namespace {

void check_ports(const Platform& platform, Complaints& complaints) {
  if (platform.ports.empty()) complaints.add("/ports", "at least one port", "none");
  for (std::size_t i = 0; i < platform.ports.size(); ++i) {
    const std::string pointer = "/ports/" + std::to_string(i);
    const std::string& name = platform.ports[i].name;
    complaints.figure(pointer + "/bandwidth_gbps", platform.ports[i].bandwidth, kGigabytePerSecond);
    for (std::size_t j = 0; j < i; ++j)
      if (platform.ports[j].name == name)
        complaints.add(pointer + "/name", "a name used once", '"' + name + '"');
    const bool used = std::any_of(platform.tiers.begin(), platform.tiers.end(),
                                  [&](const Tier& tier) { return tier.port == i; });
    if (!used && !platform.tiers.empty())
      complaints.add(pointer, "a port that a tier goes through", '"' + name + "\", which none names");
  }
}

}  // namespace

std::vector<Violation> check_platform(const Platform& platform) {
  Complaints complaints;
  check_accelerator(platform.accelerator, complaints);
  check_ports(platform, complaints);
  check_tiers(platform, complaints);
  if (platform.price) complaints.figure("/price_per_device_hour_usd", *platform.price, DollarsPerHour(1));
  return std::move(complaints).take();
}

}  // namespace spillway
