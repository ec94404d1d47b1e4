#include "input/platform/platform_reader.h"

#include <array>
#include <string_view>
#include <utility>

#include "input/platform/operator_table.h"
#include "input/platform/sourced.h"
#include "json/changed_document.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/named_file.h"
#include "platform/platform.h"

namespace spillway {
namespace {

std::optional<Efficiencies> read_efficiencies(const Place& place) {
  const Fields fields(place, {"gemm", "grouped_gemm", "attention", "attention_backward", "memory"});
  const auto read_one = sourced(1.0, kEfficiency);
  Efficiencies read;
  read.gemm = fields.get("gemm", read_one).value_or(read.gemm);
  read.grouped_gemm = fields.get("grouped_gemm", read_one).value_or(read.grouped_gemm);
  read.attention = fields.get("attention", read_one).value_or(read.attention);
  read.attention_backward = fields.get("attention_backward", read_one).value_or(read.attention_backward);
  read.memory = fields.get("memory", read_one).value_or(read.memory);
  return read;
}

std::vector<AttentionKernel> read_attention_kernels(const Place& place) {
  std::vector<AttentionKernel> kernels;
  for (const auto& [name, figures] : read_members(place)) {
    const Fields fields(figures, {"forward", "backward"});
    const auto forward = fields.need("forward", sourced(1.0, kEfficiency));
    const auto backward = fields.need("backward", sourced(1.0, kEfficiency));
    if (forward && backward) kernels.push_back({name, *forward, *backward});
  }
  return kernels;
}

// The tables of products in a narrow format; null: BF16.
using NarrowTables = ProductTables OperatorTables::*;
using PrecisionWord = std::pair<std::string_view, NarrowTables>;
constexpr std::array<PrecisionWord, 4> kPrecisions = {{{"bf16", nullptr},
                                                       {"fp8", &OperatorTables::fp8},
                                                       {"fp8-blocks", &OperatorTables::fp8_blocks},
                                                       {"fp4", &OperatorTables::fp4}}};

template <class Row>
void append(std::vector<Row>& all, Evidence& evidence, const std::vector<Row>& rows, Evidence kind) {
  if (rows.empty()) return;
  all.insert(all.end(), rows.begin(), rows.end());
  evidence = weaker(evidence, kind);
}

OperatorTables read_operator_file(const std::string& path, const Files& files) {
  OperatorTables one;
  read_operator_table(path, one, files);
  return one;
}

// Reads a table of operator times, and adds its rows to `all`.
void add_operator_table(const Place& place, OperatorTables& all) {
  const Fields fields(place, {"file", "kind", "source", "precision"});
  const auto table =
      fields.need("file", [](const Place& p) { return read_named_file(p, read_operator_file); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  const NarrowTables narrow =
      fields.get("precision", [](const Place& p) { return read_choice<NarrowTables>(p, kPrecisions); })
          .value_or(nullptr);
  if (!table || !kind || !source) return;
  all.sources.push_back(*source);
  if (narrow) {
    if (!table->attentions.empty() || !table->scans.empty())
      place.findings->add(child(place.pointer, "precision"), "no such key: tables of attention are in BF16",
                          "a narrower precision");
    ProductTables& tables = all.*narrow;
    append(tables.gemms, tables.gemm_evidence, table->gemms, *kind);
    return append(tables.grouped_gemms, tables.grouped_gemm_evidence, table->grouped_gemms, *kind);
  }
  append(all.gemms, all.gemm_evidence, table->gemms, *kind);
  append(all.grouped_gemms, all.grouped_gemm_evidence, table->grouped_gemms, *kind);
  append(all.attentions, all.attention_evidence, table->attentions, *kind);
  append(all.scans, all.scan_evidence, table->scans, *kind);
}

OperatorTables read_operator_tables(const Place& place) {
  OperatorTables all;
  const auto tables = read_list(place).value_or(std::vector<Place>{});
  for (const Place& table : tables) add_operator_table(table, all);
  return all;
}

void read_fp8_attention(const Place& place, Accelerator& accelerator) {
  const Fields fields(place, {"forward", "backward"});
  accelerator.fp8_attention_forward = fields.get("forward", sourced(1.0));
  accelerator.fp8_attention_backward = fields.get("backward", sourced(1.0));
}

std::optional<Accelerator> read_accelerator(const Place& place) {
  const Fields fields(place, {"name",
                              "bf16_tflops",
                              "fp8_tflops",
                              "fp4_tflops",
                              "fp8_any_layout",
                              "fp8_attention",
                              "memory_gb",
                              "memory_bandwidth_gbps",
                              "efficiency",
                              "operators",
                              "attention_kernels",
                              "memory_latency_us",
                              "device_latency_us",
                              "host_overhead_us",
                              "host_speed",
                              "slowdown_under_communication",
                              "exposed_accumulation",
                              "sustained",
                              "power_limit",
                              "clock_under_limit",
                              "host_link_gbps"});
  const auto name = fields.need("name", read_text);
  const auto peak = fields.need("bf16_tflops", sourced(FlopsPerSecond(1e12)));
  const auto fp8 = fields.get("fp8_tflops", sourced(FlopsPerSecond(1e12)));
  const auto fp4 = fields.get("fp4_tflops", sourced(FlopsPerSecond(1e12)));
  const auto any_layout = fields.get("fp8_any_layout", read_boolean);
  const auto fp8_attention = fields.at("fp8_attention");
  for (const char* key : {"fp8_any_layout", "fp8_attention"})
    if (!fp8) fields.forbid(key, "no such key without fp8_tflops");
  const auto memory = fields.need("memory_gb", sourced(Bytes(1e9)));
  const auto bandwidth = fields.need("memory_bandwidth_gbps", sourced(BytesPerSecond(1e9)));
  const auto efficiency = fields.get("efficiency", read_efficiencies);
  const auto tables = fields.at("operators");
  const OperatorTables operators = tables ? read_operator_tables(*tables) : OperatorTables{};
  const auto attention = fields.at("attention_kernels");
  const auto kernels = attention ? read_attention_kernels(*attention) : std::vector<AttentionKernel>{};
  const auto latency = fields.get("memory_latency_us", sourced(microseconds(1), kNotNegative));
  const auto of_device = fields.get("device_latency_us", sourced(microseconds(1), kNotNegative));
  const auto host = fields.get("host_overhead_us", sourced(microseconds(1), kNotNegative));
  const auto speed = fields.get("host_speed", sourced(1.0));
  const auto slowdown = fields.get("slowdown_under_communication", sourced(1.0, kNotNegative));
  const auto accumulation = fields.get("exposed_accumulation", sourced(1.0, kEfficiency));
  const auto sustained = fields.get("sustained", sourced(1.0, kEfficiency));
  const auto limit = fields.get("power_limit", sourced(1.0, kEfficiency));
  const auto clock = fields.get("clock_under_limit", sourced(1.0, kEfficiency));
  if (!fields.at("power_limit")) fields.forbid("clock_under_limit", "no such key without a power_limit");
  const auto link = fields.get("host_link_gbps", sourced(BytesPerSecond(1e9)));
  if (!name || !peak || !memory || !bandwidth) return std::nullopt;
  Accelerator read{.name = *name, .peak = *peak, .memory = *memory, .memory_bandwidth = *bandwidth};
  read.fp8_peak = fp8;
  read.fp4_peak = fp4;
  read.fp8_any_layout = any_layout.value_or(read.fp8_any_layout);
  if (fp8_attention) read_fp8_attention(*fp8_attention, read);
  read.efficiency = efficiency.value_or(read.efficiency);
  read.operators = operators;
  read.attention_kernels = kernels;
  read.memory_latency = latency.value_or(read.memory_latency);
  read.device_latency = of_device;
  read.host_overhead = host.value_or(read.host_overhead);
  read.host_speed = speed;
  read.slowdown_under_communication = slowdown.value_or(read.slowdown_under_communication);
  read.exposed_accumulation = accumulation;
  read.power_limit = limit;
  read.clock_under_limit = clock;
  read.host_link = link;
  read.sustained = sustained.value_or(read.sustained);
  return read;
}

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

std::optional<ExpertKernels> read_expert_kernels(const Place& place) {
  const Fields fields(place, {"devices", "dispatch_gbps", "combine_gbps", "fp8_dispatch_gbps"});
  const auto rate = sourced(BytesPerSecond(1e9));
  const auto devices = fields.need("devices", [](const Place& p) { return read_count(p, 2); });
  const auto dispatch = fields.need("dispatch_gbps", rate);
  const auto combine = fields.need("combine_gbps", rate);
  const auto fp8_dispatch = fields.get("fp8_dispatch_gbps", rate);
  if (!devices || !dispatch || !combine) return std::nullopt;
  return ExpertKernels{*devices, *dispatch, *combine, fp8_dispatch};
}

std::optional<std::size_t> read_port_name(const Place& place, const std::vector<NetworkPort>& ports) {
  if (ports.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const NetworkPort& port : ports) names.push_back(port.name);
  return read_word(place, names);
}

std::optional<NetworkPort> read_port(const Place& place) {
  const Fields fields(place, {"name", "bandwidth_gbps"});
  const auto name = fields.need("name", read_text);
  const auto bandwidth = fields.need("bandwidth_gbps", sourced(BytesPerSecond(1e9)));
  if (!name || !bandwidth) return std::nullopt;
  return NetworkPort{*name, *bandwidth};
}

// `ports` is empty if they could not be read; all of the tier but its port is then checked.
std::optional<Tier> read_tier(const Place& place, const std::vector<NetworkPort>& ports) {
  const Fields fields(place, {"name", "devices", "port", "latency_us", "bandwidth_gbps", "step_latency_us",
                              "wiring", "collectives", "protocols", "sustained", "expert_kernels"});
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
  auto kernels =
      fields.get("expert_kernels", [](const Place& p) { return read_each(p, read_expert_kernels); });
  if (!name || !devices || !port || !latency || !bandwidth) return std::nullopt;
  return Tier{*name,
              *devices,
              *port,
              *latency,
              *bandwidth,
              std::move(collectives).value_or(std::vector<MeasuredCollective>{}),
              step_latency,
              wiring.value_or(Wiring::Switched),
              protocols,
              sustained.value_or(not_stated(1.0)),
              std::move(kernels).value_or(std::vector<ExpertKernels>{})};
}

using LibraryWord = std::pair<std::string_view, CollectiveLibrary>;
constexpr std::array<LibraryWord, 2> kLibraries = {
    {{"nccl", CollectiveLibrary::Nccl}, {"hccl", CollectiveLibrary::Hccl}}};

std::optional<Platform> read_unchecked_platform(const Place& place) {
  const Fields fields(place, {"schema", "name", "note", "accelerator", "ports", "tiers", "library",
                              "price_per_device_hour_usd", "contention"});
  require_schema(fields, "spillway/platform/1");
  fields.get("note", read_text);
  const auto name = fields.need("name", read_text);
  const auto accelerator = fields.need("accelerator", read_accelerator);
  const auto ports = fields.need("ports", [](const Place& p) { return read_each(p, read_port); });
  const auto tiers = fields.need("tiers", [&](const Place& p) {
    return read_each(
        p, [&](const Place& tier) { return read_tier(tier, ports.value_or(std::vector<NetworkPort>{})); });
  });
  const auto library =
      fields.get("library", [](const Place& p) { return read_choice<CollectiveLibrary>(p, kLibraries); });
  const auto price = fields.get("price_per_device_hour_usd", sourced(DollarsPerHour(1)));
  const auto contention = fields.get("contention", read_boolean);
  if (!name || !accelerator || !ports || !tiers) return std::nullopt;
  return Platform{*name,
                  *accelerator,
                  *ports,
                  *tiers,
                  contention.value_or(true),
                  library.value_or(CollectiveLibrary::Nccl),
                  price};
}

}  // namespace

std::optional<Platform> read_platform(const Place& place) {
  std::optional<Platform> platform = read_unchecked_platform(place);
  if (!platform) return std::nullopt;
  std::vector<Violation> violations = check_platform(*platform);
  if (violations.empty()) return platform;
  place.findings->add(located(std::move(violations), place.findings->file(), place.pointer));
  return std::nullopt;
}

Platform read_platform(const std::string& path, const Object& changes, const Files& files) {
  return read_changed_document<Platform>(path, "platform", changes, files, read_platform);
}

Platform read_platform_text(const std::string& text, const std::string& path) {
  Findings findings(path);
  const std::optional<Node> document = parse_json(text, findings);
  if (!document || is_another_kind(*document, "platform", findings)) findings.throw_if_any();
  const Files files;
  const std::optional<Platform> platform = read_platform(Place{&*document, "", &findings, &files});
  findings.throw_if_any();
  return *platform;
}

}  // namespace spillway
