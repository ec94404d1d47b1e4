#include <string>
#include <utility>

#include "goodput/spare_nodes.h"
#include "search/cluster_reader.h"

namespace spillway {
namespace {

constexpr Range kChance{.above = 0, .at_most = 1 - 1e-9, .expected = "a number above 0 and below 1"};

// Returns a reader of times in multiples of `unit`.
auto times(Seconds unit, const Range& range = kPositive) {
  return [=](const Place& place) -> std::optional<Seconds> {
    const auto count = read_number(place, range);
    return count ? std::optional(unit * *count) : std::nullopt;
  };
}

struct CheckpointKeys {
  BytesPerSecond write;
  bool blocks;
  Seconds stall;
  std::optional<Seconds> interval;
};

std::optional<CheckpointKeys> read_checkpoint(const Place& place) {
  const Fields fields(place, {"write_gb_per_s", "blocks", "stall_s", "interval_minutes"});
  const auto write = fields.need("write_gb_per_s", [](const Place& p) { return read_number(p, kPositive); });
  const bool blocks = fields.get("blocks", read_boolean).value_or(true);
  const auto stall = fields.get("stall_s", times(Seconds(1), kNotNegative));
  if (blocks)
    fields.forbid("stall_s",
                  "no such key, since a checkpoint that blocks stalls for as long as it is written");
  const auto interval = fields.get("interval_minutes", times(Seconds(60)));
  if (!write) return std::nullopt;
  return CheckpointKeys{BytesPerSecond(*write * 1e9), blocks, stall.value_or(Seconds()), interval};
}

std::optional<Repair> read_repair(const Fields& fields) {
  const auto time = fields.get("repair_hours", times(Seconds(3600)));
  const auto spares = fields.get("spare_nodes", count_from(0, kMostSpareNodes));
  const auto chance = fields.get("spare_chance", [](const Place& p) { return read_number(p, kChance); });
  const auto devices = fields.get("devices_per_node", count_from(1, kMostDevices));
  if (!fields.at("repair_hours"))
    for (const char* needy : {"spare_nodes", "spare_chance", "devices_per_node"})
      fields.forbid(needy, "repair_hours beside it, for which a failed node is missing");
  if (!time) return std::nullopt;
  return Repair{*time, spares, chance.value_or(0.99), devices};
}

}  // namespace

std::optional<Reliability> read_reliability(const Place& place) {
  const Fields fields(place, {"device_mtbf_hours", "source", "restart_minutes", "checkpoint", "repair_hours",
                              "spare_nodes", "spare_chance", "devices_per_node"});
  const auto mtbf = fields.need("device_mtbf_hours", times(Seconds(3600)));
  const auto source = fields.need("source", read_text);
  const auto restart = fields.need("restart_minutes", times(Seconds(60), kNotNegative));
  const auto checkpoint = fields.need("checkpoint", read_checkpoint);
  const auto repair = read_repair(fields);
  if (!mtbf || !source || !restart || !checkpoint) return std::nullopt;
  return Reliability{.device_mtbf = *mtbf,
                     .source = *source,
                     .restart = *restart,
                     .write = checkpoint->write,
                     .blocks = checkpoint->blocks,
                     .stall = checkpoint->stall,
                     .interval = checkpoint->interval,
                     .repair = repair};
}

}  // namespace spillway
