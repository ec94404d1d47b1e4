#include "spec/platform_reader.h"

#include <algorithm>
#include <array>

#include "spec/document.h"
#include "spec/place.h"

namespace spillway {
namespace {

using EvidenceWord = std::pair<std::string_view, Evidence>;
constexpr std::array<EvidenceWord, 6> kEvidence = {{{"measured", Evidence::Measured},
                                                    {"vendor", Evidence::Vendor},
                                                    {"derived", Evidence::Derived},
                                                    {"fitted", Evidence::Fitted},
                                                    {"extrapolated", Evidence::Extrapolated},
                                                    {"assumed", Evidence::Assumed}}};

// A number with its evidence and source, in multiples of `unit`.
template <class Value>
std::optional<Sourced<Value>> read_sourced(const Place& place, Value unit, const Range& range) {
  const Fields fields(place, {"value", "kind", "source"});
  const auto value = fields.need("value", [&](const Place& p) { return read_number(p, range); });
  const auto kind = fields.need("kind", [](const Place& p) { return read_choice<Evidence>(p, kEvidence); });
  const auto source = fields.need("source", [](const Place& p) { return read_text(p); });
  if (!value || !kind || !source) return std::nullopt;
  return Sourced<Value>{*value * unit, *kind, *source};
}

auto sourced(auto unit, const Range& range = kPositive) {
  return [=](const Place& place) { return read_sourced(place, unit, range); };
}

constexpr BytesPerSecond kGigabytePerSecond(1e9);
constexpr auto read_name = [](const Place& place) { return read_text(place); };

std::optional<Accelerator> read_accelerator(const Place& place) {
  const Fields fields(place, {"name", "bf16_tflops", "memory_gb", "memory_bandwidth_gbps"});
  const auto name = fields.need("name", read_name);
  const auto peak = fields.need("bf16_tflops", sourced(FlopsPerSecond(1e12)));
  const auto memory = fields.need("memory_gb", sourced(Bytes(1e9)));
  const auto bandwidth = fields.need("memory_bandwidth_gbps", sourced(kGigabytePerSecond));
  if (!name || !peak || !memory || !bandwidth) return std::nullopt;
  return Accelerator{.name = *name, .peak = *peak, .memory = *memory, .memory_bandwidth = *bandwidth};
}

std::optional<Port> read_port(const Place& place) {
  const Fields fields(place, {"name", "bandwidth_gbps"});
  const auto name = fields.need("name", read_name);
  const auto bandwidth = fields.need("bandwidth_gbps", sourced(kGigabytePerSecond));
  if (!name || !bandwidth) return std::nullopt;
  return Port{*name, *bandwidth};
}

std::optional<std::size_t> read_port_name(const Place& place, const std::vector<Port>& ports) {
  std::vector<std::string_view> names;
  for (const Port& port : ports) names.push_back(port.name);
  return read_word(place, names);
}

// `ports` is empty where they could not be read; tiers are then checked but for their port.
std::optional<Tier> read_tier(const Place& place, const std::vector<Port>& ports) {
  const Fields fields(place, {"name", "devices", "port", "latency_us", "bandwidth_gbps"});
  const auto name = fields.need("name", read_name);
  const auto devices = fields.need("devices", [](const Place& p) { return read_count(p); });
  const auto port = fields.need("port", [&](const Place& p) -> std::optional<std::size_t> {
    if (ports.empty()) return std::nullopt;
    return read_port_name(p, ports);
  });
  const auto latency = fields.need("latency_us", sourced(microseconds(1), kNotNegative));
  const auto bandwidth = fields.need("bandwidth_gbps", sourced(kGigabytePerSecond));
  if (!name || !devices || !port || !latency || !bandwidth) return std::nullopt;
  return Tier{*name, *devices, *port, *latency, *bandwidth};
}

void refuse_equal_names(const std::vector<Port>& ports, Findings& findings) {
  for (std::size_t i = 1; i < ports.size(); ++i) {
    const bool taken = std::any_of(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Port& port) { return port.name == ports[i].name; });
    if (taken)
      findings.add("/ports/" + std::to_string(i) + "/name", "a name used once", describe({ports[i].name}));
  }
}

std::optional<Platform> read_platform(const Place& place) {
  const Fields fields(place, {"schema", "name", "note", "accelerator", "ports", "tiers", "contention"});
  require_schema(fields, "spillway/platform/1");
  fields.get("note", read_name);
  const auto name = fields.need("name", read_name);
  const auto accelerator = fields.need("accelerator", read_accelerator);
  const auto ports = fields.need("ports", [](const Place& p) { return read_each(p, read_port); });
  const auto tiers = fields.need("tiers", [&](const Place& p) {
    return read_each(p,
                     [&](const Place& tier) { return read_tier(tier, ports.value_or(std::vector<Port>{})); });
  });
  const auto contention = fields.get("contention", [](const Place& p) { return read_boolean(p); });
  if (ports) refuse_equal_names(*ports, *place.findings);
  if (!name || !accelerator || !ports || !tiers) return std::nullopt;
  return Platform{*name, *accelerator, *ports, *tiers, contention.value_or(true)};
}

}  // namespace

Platform read_platform(const std::string& path) {
  Findings findings(path);
  const std::optional<Node> document = read_json(path, findings);
  findings.throw_if_any();
  const std::optional<Platform> platform = read_platform(Place{&*document, "", &findings});
  findings.throw_if_any();
  findings.add(check_platform(*platform));
  findings.throw_if_any();
  return *platform;
}

}  // namespace spillway
