#include "input/platform/accelerator_reader.h"

#include <array>
#include <string_view>
#include <utility>

#include "input/platform/operator_table.h"
#include "input/platform/sourced.h"
#include "json/named_file.h"

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

using PrecisionWord = std::pair<std::string_view, bool>;
constexpr std::array<PrecisionWord, 2> kPrecisions = {{{"bf16", false}, {"fp8", true}}};

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

// A table of operator times; its rows join `all`.
void add_operator_table(const Place& place, OperatorTables& all) {
  const Fields fields(place, {"file", "kind", "source", "precision"});
  const auto table =
      fields.need("file", [](const Place& p) { return read_named_file(p, read_operator_file); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  const bool fp8 = fields.get("precision", [](const Place& p) { return read_choice<bool>(p, kPrecisions); })
                       .value_or(false);
  if (!table || !kind || !source) return;
  all.sources.push_back(*source);
  if (fp8) {
    if (!table->attentions.empty())
      place.findings->add(child(place.pointer, "precision"), "no such key, since attention is priced in BF16",
                          "\"fp8\"");
    append(all.fp8_gemms, all.fp8_gemm_evidence, table->gemms, *kind);
    return append(all.fp8_grouped_gemms, all.fp8_grouped_gemm_evidence, table->grouped_gemms, *kind);
  }
  append(all.gemms, all.gemm_evidence, table->gemms, *kind);
  append(all.grouped_gemms, all.grouped_gemm_evidence, table->grouped_gemms, *kind);
  append(all.attentions, all.attention_evidence, table->attentions, *kind);
}

OperatorTables read_operator_tables(const Place& place) {
  OperatorTables all;
  const auto tables = read_list(place).value_or(std::vector<Place>{});
  for (const Place& table : tables) add_operator_table(table, all);
  return all;
}

}  // namespace

std::optional<Accelerator> read_accelerator(const Place& place) {
  const Fields fields(place, {"name", "bf16_tflops", "fp8_tflops", "memory_gb", "memory_bandwidth_gbps",
                              "efficiency", "operators", "attention_kernels", "memory_latency_us",
                              "host_overhead_us", "slowdown_under_communication", "exposed_accumulation",
                              "sustained", "power_limit", "clock_under_limit", "host_link_gbps"});
  const auto name = fields.need("name", read_text);
  const auto peak = fields.need("bf16_tflops", sourced(FlopsPerSecond(1e12)));
  const auto fp8 = fields.get("fp8_tflops", sourced(FlopsPerSecond(1e12)));
  const auto memory = fields.need("memory_gb", sourced(Bytes(1e9)));
  const auto bandwidth = fields.need("memory_bandwidth_gbps", sourced(BytesPerSecond(1e9)));
  const auto efficiency = fields.get("efficiency", read_efficiencies);
  const auto tables = fields.at("operators");
  const OperatorTables operators = tables ? read_operator_tables(*tables) : OperatorTables{};
  const auto attention = fields.at("attention_kernels");
  const auto kernels = attention ? read_attention_kernels(*attention) : std::vector<AttentionKernel>{};
  const auto latency = fields.get("memory_latency_us", sourced(microseconds(1), kNotNegative));
  const auto host = fields.get("host_overhead_us", sourced(microseconds(1), kNotNegative));
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
  read.efficiency = efficiency.value_or(read.efficiency);
  read.operators = operators;
  read.attention_kernels = kernels;
  read.memory_latency = latency.value_or(read.memory_latency);
  read.host_overhead = host.value_or(read.host_overhead);
  read.slowdown_under_communication = slowdown.value_or(read.slowdown_under_communication);
  read.exposed_accumulation = accumulation;
  read.power_limit = limit;
  read.clock_under_limit = clock;
  read.host_link = link;
  read.sustained = sustained.value_or(read.sustained);
  return read;
}

}  // namespace spillway
