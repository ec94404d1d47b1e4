#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/experiment/measured_rows.h"
#include "json/named_file.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostMeasuredDevices = 1U << 20;

std::optional<std::string> read_count_list(const Place& place) {
  const auto counts = read_each(place, [](const Place& p) { return read_count(p); });
  return counts ? std::optional(counts_text(*counts)) : std::nullopt;
}

// [784, 1024], or [[784], [1024, 784]] for several microbatches.
std::optional<std::string> read_contents(const Place& place) {
  const auto* list = std::get_if<List>(&place.node->value);
  if (!list || list->empty() || !std::holds_alternative<List>(list->front().value))
    return read_count_list(place);
  const auto microbatches = read_each(place, read_count_list);
  return microbatches ? std::optional(joined(*microbatches, "; ")) : std::nullopt;
}

std::optional<MeasuredRow> read_row(const Place& place) {
  const Fields fields(place, {"stage", "direction", "tokens", "patches", "milliseconds", "bytes"});
  const auto stage = fields.need("stage", read_text);
  const auto direction = fields.need("direction", read_text);
  const auto tokens = fields.get("tokens", read_contents);
  const auto patches = fields.get("patches", read_contents);
  const auto read_times = [](const Place& list) {
    auto read = read_each(list, [](const Place& p) { return read_number(p, kMilliseconds); });
    if (read && read->empty()) list.refuse("at least one time");
    return read;
  };
  const bool has_bytes = fields.at("bytes").has_value();
  const auto times = has_bytes && !fields.at("milliseconds") ? std::optional(std::vector<double>())
                                                             : fields.need("milliseconds", read_times);
  const auto bytes = fields.get("bytes", [](const Place& list) {
    return read_each(list, [](const Place& p) { return read_number(p, kPositive); });
  });
  if (!stage || !direction || !times || (times->empty() && !has_bytes)) return std::nullopt;
  return MeasuredRow{fields.findings().file(),
                     place.pointer,
                     *stage,
                     *direction,
                     tokens.value_or(""),
                     patches.value_or(""),
                     *std::move(times),
                     bytes.value_or(std::vector<double>())};
}

std::optional<std::vector<MeasuredRow>> read_rows(const Place& place) {
  if (std::holds_alternative<std::string>(place.node->value))
    return read_named_file(place, read_measured_csv);
  auto rows = read_each(place, read_row);
  if (rows && rows->empty()) place.refuse("at least one measured pass");
  return rows;
}

bool has_experts(const AnalyticCosts& costs) {
  return std::ranges::any_of(costs.blocks,
                             [](const BlockCosts& block) { return routed_experts(block.architecture) > 0; });
}

// The devices of the measured rank, and the recomputation, if they are stated.
AnalyticCosts as_stated(const Fields& fields, AnalyticCosts costs) {
  const auto devices = [&](const char* key) {
    return fields.get(key, [](const Place& p) { return read_count(p, 1, kMostMeasuredDevices); });
  };
  const auto tensor = devices("tensor"), context = devices("context"), expert = devices("expert");
  if (expert > 1U && !has_experts(costs))
    fields.at("expert")->refuse("1, since no block of the model has experts");
  if (tensor || context || expert) {
    Parallelism layout = costs.parallelism;
    layout.tensor = tensor.value_or(1);
    layout.context = context.value_or(1);
    layout.expert = expert.value_or(1);
    const bool as_job = layout.tensor == costs.parallelism.tensor &&
                        layout.context == costs.parallelism.context &&
                        layout.expert == costs.parallelism.expert;
    if (!as_job) layout.expert_tensor = 1;
    if (!as_job) layout.data = DataParallel::Plain;
    costs.parallelism = layout;
  }
  const auto recompute =
      fields.get("recompute", [](const Place& p) { return read_choice<Recompute>(p, kRecomputes); });
  for (BlockCosts& block : costs.blocks)
    if (recompute) block.recompute = *recompute;
  return costs;
}

// Violations of the stated devices are reported at them.
void refuse_layout(const Place& place, const AnalyticCosts& stated) {
  for (const BlockCosts& block : stated.blocks)
    for (Violation& violation : check_split(block, stated.parallelism)) {
      const std::string key = violation.pointer.substr(violation.pointer.rfind('/') + 1);
      place.findings->add(child(place.pointer, key), violation.expected, violation.found);
    }
}

}  // namespace

void read_measured(const Place& place, const Model& model, AnalyticCosts& costs) {
  std::optional<std::vector<MeasuredRow>> rows;
  std::optional<std::uint32_t> replicas;
  AnalyticCosts stated = costs;
  if (std::holds_alternative<std::string>(place.node->value)) {
    rows = read_rows(place);
  } else {
    const Fields fields(place, {"passes", "tensor", "context", "expert", "replicas", "recompute"});
    rows = fields.need("passes", read_rows);
    replicas = fields.get("replicas", [](const Place& p) { return read_count(p, 1, kMostMeasuredDevices); });
    stated = as_stated(fields, std::move(stated));
    refuse_layout(place, stated);
  }
  if (!rows) return;
  PassTable measured = *measured_passes(*rows, model, stated, *place.findings);
  measured.replicas = replicas;
  if (!measured.passes.empty()) costs.measured = std::make_shared<const PassTable>(std::move(measured));
}

}  // namespace spillway
