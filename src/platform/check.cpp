// What keeps a platform from being one.
#include <cmath>
#include <cstdio>
#include <utility>

#include "platform/platform.h"

namespace spillway {
namespace {

// The units of the JSON form.
constexpr BytesPerSecond kGigabyte(1e9);

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

class Check {
 public:
  explicit Check(const Platform& platform) : platform_(platform) {}

  std::vector<Violation> run() && {
    accelerator();
    ports();
    tiers();
    return std::move(violations_);
  }

 private:
  void add(std::string pointer, std::string expected, std::string found) {
    violations_.push_back({"", std::move(pointer), std::move(expected), std::move(found)});
  }

  template <class Value>
  void sourced(const std::string& pointer, const Sourced<Value>& figure, Value unit,
               bool zero_allowed = false) {
    const double value = figure.value / unit;
    const bool in_range = value > 0 || (zero_allowed && value == 0);
    if (!std::isfinite(value) || !in_range) {
      add(pointer + "/value", zero_allowed ? "a finite number of at least 0" : "a positive finite number",
          number(value));
    }
    if (figure.source.empty()) add(pointer + "/source", "where the number comes from", "nothing");
  }

  void accelerator() {
    const Accelerator& accelerator = platform_.accelerator;
    sourced("/accelerator/bf16_tflops", accelerator.peak, FlopsPerSecond(1e12));
    sourced("/accelerator/memory_gb", accelerator.memory, Bytes(1e9));
    sourced("/accelerator/memory_bandwidth_gbps", accelerator.memory_bandwidth, kGigabyte);
  }

  void ports() {
    if (platform_.ports.empty()) add("/ports", "at least one port", "none");
    for (std::size_t i = 0; i < platform_.ports.size(); ++i) {
      sourced("/ports/" + std::to_string(i) + "/bandwidth_gbps", platform_.ports[i].bandwidth, kGigabyte);
    }
  }

  void tiers() {
    if (platform_.tiers.empty()) add("/tiers", "at least one tier", "none");
    for (std::size_t i = 0; i < platform_.tiers.size(); ++i) {
      const std::string pointer = "/tiers/" + std::to_string(i);
      size(pointer, i);
      sourced(pointer + "/latency_us", platform_.tiers[i].latency, microseconds(1), true);
      sourced(pointer + "/bandwidth_gbps", platform_.tiers[i].bandwidth, kGigabyte);
      port(pointer, platform_.tiers[i]);
    }
  }

  void size(const std::string& pointer, std::size_t i) {
    const std::uint32_t devices = platform_.tiers[i].devices;
    const std::uint32_t inner = i == 0 ? 1 : platform_.tiers[i - 1].devices;
    if (devices <= inner) {
      add(pointer + "/devices", "more than " + std::to_string(inner), std::to_string(devices));
    } else if (inner != 0 && devices % inner != 0) {
      add(pointer + "/devices", "a multiple of " + std::to_string(inner), std::to_string(devices));
    }
  }

  void port(const std::string& pointer, const Tier& tier) {
    if (tier.port >= platform_.ports.size()) {
      add(pointer + "/port", "one of the " + std::to_string(platform_.ports.size()) + " ports",
          "port " + std::to_string(tier.port));
      return;
    }
    const BytesPerSecond limit = platform_.ports[tier.port].bandwidth.value;
    if (tier.bandwidth.value > limit) {
      add(pointer + "/bandwidth_gbps/value", "at most its port's " + number(limit / kGigabyte),
          number(tier.bandwidth.value / kGigabyte));
    }
  }

  const Platform& platform_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_platform(const Platform& platform) {
  return Check(platform).run();
}

}  // namespace spillway
