#include "input/platform/tier_reader.h"

#include <array>

#include "input/platform/sourced.h"
#include "platform/platform.h"

namespace spillway {
namespace {

using Point = std::pair<Bytes, Seconds>;
using WiringWord = std::pair<std::string_view, Wiring>;
constexpr std::array<WiringWord, 2> kWirings = {{{"switched", Wiring::Switched}, {"mesh", Wiring::Mesh}}};

// [bytes, microseconds]
std::optional<Point> read_point(const Place& place) {
  const auto pair = read_list(place);
  if (!pair) return std::nullopt;
  if (pair->size() != 2) {
    place.refuse("[bytes, microseconds]");
    return std::nullopt;
  }
  const auto bytes = read_number((*pair)[0], kPositive);
  const auto time = read_number((*pair)[1], kPositive);
  if (!bytes || !time) return std::nullopt;
  return Point{Bytes(*bytes), microseconds(*time)};
}

std::optional<MeasuredCollective> read_collective(const Place& place) {
  const Fields fields(place, {"operation", "devices", "neighbours", "kind", "source", "points", "interval"});
  const auto operation = fields.need(
      "operation", [](const Place& p) { return read_choice<CollectiveOperation>(p, kOperationWords); });
  const auto devices = fields.need("devices", [](const Place& p) { return read_count(p, 2); });
  const auto neighbours = fields.need("neighbours", [](const Place& p) { return read_count(p); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  const auto points = fields.need("points", [](const Place& p) { return read_each(p, read_point); });
  const auto interval = fields.get("interval", [](const Place& p) { return read_interval(p, 1.0); });
  if (!operation || !devices || !neighbours || !kind || !source || !points) return std::nullopt;
  return MeasuredCollective{*operation, *devices, *neighbours, {*points, *kind, *source, interval}};
}

std::optional<InSwitch> read_in_switch(const Place& place) {
  const Fields fields(place, {"once_us", "bandwidth"});
  const auto once = fields.need("once_us", sourced(microseconds(1), kNotNegative));
  const auto bandwidth = fields.need("bandwidth", sourced(1.0, kEfficiency));
  if (!once || !bandwidth) return std::nullopt;
  return InSwitch{*once, *bandwidth};
}

std::optional<Protocols> read_protocols(const Place& place) {
  const Fields fields(place, {"launch", "small", "bulk_step_us", "exchange_us", "exchange_small",
                              "exchange_bulk_us", "in_switch"});
  const auto share = sourced(1.0, kEfficiency);
  const auto time = sourced(microseconds(1), kNotNegative);
  const auto launch = fields.need("launch", share);
  const auto small = fields.need("small", share);
  const auto bulk_step = fields.need("bulk_step_us", time);
  const auto exchange = fields.need("exchange_us", time);
  const auto exchange_small = fields.need("exchange_small", share);
  const auto exchange_bulk = fields.need("exchange_bulk_us", time);
  const auto in_switch = fields.get("in_switch", read_in_switch);
  if (!launch || !small || !bulk_step || !exchange || !exchange_small || !exchange_bulk) return std::nullopt;
  return Protocols{*launch, *small, *bulk_step, *exchange, *exchange_small, *exchange_bulk, in_switch};
}

std::optional<std::size_t> read_port_name(const Place& place, const std::vector<NetworkPort>& ports) {
  if (ports.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const NetworkPort& port : ports) names.push_back(port.name);
  return read_word(place, names);
}

}  // namespace

std::optional<NetworkPort> read_port(const Place& place) {
  const Fields fields(place, {"name", "bandwidth_gbps"});
  const auto name = fields.need("name", read_text);
  const auto bandwidth = fields.need("bandwidth_gbps", sourced(BytesPerSecond(1e9)));
  if (!name || !bandwidth) return std::nullopt;
  return NetworkPort{*name, *bandwidth};
}

std::optional<Tier> read_tier(const Place& place, const std::vector<NetworkPort>& ports) {
  const Fields fields(place, {"name", "devices", "port", "latency_us", "bandwidth_gbps", "step_latency_us",
                              "wiring", "collectives", "protocols", "sustained"});
  const auto name = fields.need("name", read_text);
  const auto devices = fields.need("devices", [](const Place& p) { return read_count(p); });
  const auto port = fields.need("port", [&](const Place& p) { return read_port_name(p, ports); });
  const auto latency = fields.need("latency_us", sourced(microseconds(1), kNotNegative));
  const auto bandwidth = fields.need("bandwidth_gbps", sourced(BytesPerSecond(1e9)));
  const auto step_latency = fields.get("step_latency_us", sourced(microseconds(1), kNotNegative));
  const auto wiring = fields.get("wiring", [](const Place& p) { return read_choice<Wiring>(p, kWirings); });
  auto collectives = fields.get("collectives", [](const Place& p) { return read_each(p, read_collective); });
  const auto protocols = fields.get("protocols", read_protocols);
  const auto sustained = fields.get("sustained", sourced(1.0, kShare));
  if (!name || !devices || !port || !latency || !bandwidth) return std::nullopt;
  return Tier{*name,        *devices,
              *port,        *latency,
              *bandwidth,   std::move(collectives).value_or(std::vector<MeasuredCollective>{}),
              step_latency, wiring.value_or(Wiring::Switched),
              protocols,    sustained.value_or(not_stated(1.0))};
}

}  // namespace spillway
