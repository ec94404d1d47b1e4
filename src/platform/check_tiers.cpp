// Checks the tiers of a platform: each contains the one before it.
#include <algorithm>

#include "base/printable.h"
#include "platform/figure_checks.h"

namespace spillway {
namespace {

// "node" in "cluster" in "node": the tiers from `first` to `last`, which is the first again.
std::string cycle(const std::vector<Tier>& tiers, std::size_t first, std::size_t last) {
  std::string text = in_quotes(tiers[first].name);
  for (std::size_t i = first + 1; i <= last; ++i) text += " in " + in_quotes(tiers[i].name);
  return text;
}

void check_name(const std::vector<Tier>& tiers, std::size_t i, Findings& findings) {
  const auto tier = tiers.begin() + static_cast<std::ptrdiff_t>(i);
  const auto same =
      std::find_if(tiers.begin(), tier, [&](const Tier& before) { return before.name == tier->name; });
  if (same == tier) return;
  findings.add("/tiers/" + std::to_string(i) + "/name", "a name used once: no tier lies inside itself",
               cycle(tiers, static_cast<std::size_t>(same - tiers.begin()), i));
}

void check_size(const std::vector<Tier>& tiers, std::size_t i, Findings& findings) {
  const std::string pointer = "/tiers/" + std::to_string(i) + "/devices";
  const std::uint32_t devices = tiers[i].devices;
  const std::uint32_t inner = i == 0 ? 1 : tiers[i - 1].devices;
  const std::string inside = i == 0 ? "" : " of " + in_quotes(tiers[i - 1].name) + " inside it";
  if (devices <= inner) {
    findings.add(pointer, "more than the " + std::to_string(inner) + inside, std::to_string(devices));
  } else if (inner != 0 && devices % inner != 0) {
    findings.add(pointer, "a multiple of the " + std::to_string(inner) + inside, std::to_string(devices));
  }
}

void check_port(const Platform& platform, std::size_t i, Findings& findings) {
  const std::string pointer = "/tiers/" + std::to_string(i);
  const Tier& tier = platform.tiers[i];
  if (tier.port >= platform.ports.size()) {
    findings.add(pointer + "/port", "one of the " + std::to_string(platform.ports.size()) + " ports",
                 "port " + std::to_string(tier.port));
    return;
  }
  const BytesPerSecond limit = platform.ports[tier.port].bandwidth.value;
  if (tier.bandwidth.value > limit) {
    findings.add(pointer + "/bandwidth_gbps/value",
                 "at most its port's " + shortest(limit / kGigabytePerSecond),
                 shortest(tier.bandwidth.value / kGigabytePerSecond));
  }
}

void check_latencies(const Tier& tier, const std::string& pointer, Findings& findings) {
  check_figure(pointer + "/latency_us", tier.latency, microseconds(1), findings, kFromZero);
  if (!tier.step_latency) return;
  const std::string step = pointer + "/step_latency_us";
  check_figure(step, *tier.step_latency, microseconds(1), findings, kFromZero);
  if (tier.step_latency->value > tier.latency.value) {
    findings.add(step + "/value", "at most a message's " + shortest(tier.latency.value / microseconds(1)),
                 shortest(tier.step_latency->value / microseconds(1)));
  }
}

void check_protocols(const Platform& platform, std::size_t i, Findings& findings) {
  const std::optional<Protocols>& protocols = platform.tiers[i].protocols;
  if (!protocols) return;
  const std::string pointer = "/tiers/" + std::to_string(i) + "/protocols";
  if (i > 0) findings.add(pointer, "no such key outside the first tier", "tier " + std::to_string(i));
  if (platform.library != CollectiveLibrary::Nccl)
    findings.add(pointer, "no such key, since the library is not nccl", "hccl");
  check_figure(pointer + "/launch", protocols->launch, 1.0, findings, kUpToOne);
  check_figure(pointer + "/small", protocols->small, 1.0, findings, kUpToOne);
  check_figure(pointer + "/bulk_step_us", protocols->bulk_step, microseconds(1), findings, kFromZero);
  check_figure(pointer + "/exchange_us", protocols->exchange, microseconds(1), findings, kFromZero);
  check_figure(pointer + "/exchange_small", protocols->exchange_small, 1.0, findings, kUpToOne);
  check_figure(pointer + "/exchange_bulk_us", protocols->exchange_bulk, microseconds(1), findings, kFromZero);
  if (!protocols->in_switch) return;
  const InSwitch& in_switch = *protocols->in_switch;
  check_figure(pointer + "/in_switch/once_us", in_switch.once, microseconds(1), findings, kFromZero);
  check_figure(pointer + "/in_switch/bandwidth", in_switch.bandwidth, 1.0, findings, kUpToOne);
}

// A device's own part does not pass its port.
void check_rate(const std::string& pointer, const Sourced<BytesPerSecond>& rate, std::uint32_t devices,
                BytesPerSecond port, Findings& findings) {
  check_figure(pointer, rate, kGigabytePerSecond, findings);
  const double most = port / kGigabytePerSecond * devices / (devices - 1.0);
  if (rate.value / kGigabytePerSecond > most)
    findings.add(pointer + "/value", "at most the " + shortest(most) + " that the port carries",
                 shortest(rate.value / kGigabytePerSecond));
}

void check_expert_kernels(const Platform& platform, std::size_t i, Findings& findings) {
  const Tier& tier = platform.tiers[i];
  if (tier.port >= platform.ports.size()) return;
  const BytesPerSecond port = platform.ports[tier.port].bandwidth.value;
  std::uint32_t before = 1;
  for (std::size_t j = 0; j < tier.expert_kernels.size(); ++j) {
    const ExpertKernels& kernels = tier.expert_kernels[j];
    const std::string pointer = "/tiers/" + std::to_string(i) + "/expert_kernels/" + std::to_string(j);
    if (kernels.devices <= before || kernels.devices > tier.devices) {
      findings.add(
          pointer + "/devices",
          "more than " + std::to_string(before) + " and at most the tier's " + std::to_string(tier.devices),
          std::to_string(kernels.devices));
      return;
    }
    before = kernels.devices;
    check_rate(pointer + "/dispatch_gbps", kernels.dispatch, kernels.devices, port, findings);
    check_rate(pointer + "/combine_gbps", kernels.combine, kernels.devices, port, findings);
    if (kernels.fp8_dispatch)
      check_rate(pointer + "/fp8_dispatch_gbps", *kernels.fp8_dispatch, kernels.devices, port, findings);
  }
}

}  // namespace

void check_tiers(const Platform& platform, Findings& findings) {
  if (platform.tiers.empty()) findings.add("/tiers", "at least one tier", "none");
  for (std::size_t i = 0; i < platform.tiers.size(); ++i) {
    const std::string pointer = "/tiers/" + std::to_string(i);
    check_name(platform.tiers, i, findings);
    check_size(platform.tiers, i, findings);
    check_latencies(platform.tiers[i], pointer, findings);
    check_figure(pointer + "/bandwidth_gbps", platform.tiers[i].bandwidth, kGigabytePerSecond, findings);
    check_port(platform, i, findings);
    check_protocols(platform, i, findings);
    check_figure("/tiers/" + std::to_string(i) + "/sustained", platform.tiers[i].sustained, 1.0, findings,
                 kUpToOne);
    check_collectives(platform, i, findings);
    check_expert_kernels(platform, i, findings);
  }
}

}  // namespace spillway
