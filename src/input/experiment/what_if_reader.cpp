#include "input/experiment/what_if_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "derive/modules.h"

namespace spillway {
namespace {

constexpr Range kSpeed{.above = 0, .at_most = 1e6, .expected = "a number above 0 and at most 1000000"};
constexpr Range kFactor{.at_least = 0, .at_most = 1e6, .expected = "a number from 0 to 1000000"};
constexpr std::uint32_t kMostRanks = 1'000'000;

double read_factor(const Fields& fields, std::string_view key, const Range& range) {
  return fields.get(key, [&](const Place& p) { return read_number(p, range); }).value_or(1.0);
}

std::optional<std::map<std::string, double>> read_port_speeds(const Place& place) {
  std::map<std::string, double> speeds;
  for (const auto& [port, at] : read_members(place))
    if (const auto speed = read_number(at, kSpeed)) speeds[port] = *speed;
  return speeds;
}

std::optional<Straggler> read_straggler(const Place& place) {
  const Fields fields(place, {"rank", "time"});
  const auto rank = fields.need("rank", [](const Place& p) { return read_count(p, 0, kMostRanks - 1); });
  const auto time = fields.need("time", [](const Place& p) { return read_number(p, kSpeed); });
  return rank && time ? std::optional(Straggler{*rank, *time}) : std::nullopt;
}

std::uint32_t most_ranks(const Experiment& experiment) {
  std::uint32_t ranks = experiment.pipeline.ranks;
  for (const ScheduleSpec& schedule : experiment.schedules)
    if (!schedule.modules.empty())
      ranks = std::max(ranks, unit_of(experiment.pipeline, schedule.modules).ranks);
  return ranks;
}

void check_ports(const Place& place, const Platform& platform) {
  std::string known;
  for (const NetworkPort& port : platform.ports) add_to_list(known, port.name);
  for (const auto& [name, at] : read_members(place))
    if (std::ranges::find(platform.ports, name, &NetworkPort::name) == platform.ports.end())
      place.findings->add(at.pointer, "a port of the platform: " + known, describe({name}));
}

}  // namespace

WhatIf read_what_if(const Fields& experiment, bool analytic, InnerCollectives collectives) {
  const std::optional<Place> place = experiment.at("what_if");
  if (!place) return {};
  const Fields fields(*place, {"encoder_time", "link_speed", "port_speed", "compute_speed", "host_speed",
                               "inner_collective_time", "even_stages", "straggler", "between_steps_ms"});
  for (const char* key : {"inner_collective_time", "port_speed", "host_speed"})
    if (!analytic) fields.forbid(key, "no such key, since blocks have profiles");
  if (collectives == InnerCollectives::Flows)
    fields.forbid("inner_collective_time", "no such key, since the replay runs collectives as flows");
  const auto between =
      fields.get("between_steps_ms", [](const Place& p) { return read_number(p, kNotNegative); });
  return {.encoder_time = read_factor(fields, "encoder_time", kFactor),
          .link_speed = read_factor(fields, "link_speed", kSpeed),
          .port_speed = fields.get("port_speed", read_port_speeds).value_or(std::map<std::string, double>()),
          .compute_speed = read_factor(fields, "compute_speed", kSpeed),
          .host_speed = read_factor(fields, "host_speed", kSpeed),
          .inner_collective_time = read_factor(fields, "inner_collective_time", kFactor),
          .even_stages = fields.get("even_stages", read_boolean).value_or(false),
          .straggler = fields.get("straggler", read_straggler).value_or(Straggler()),
          .between_steps = milliseconds(between.value_or(0))};
}

void check_what_if(const Fields& fields, const Experiment& experiment) {
  const std::optional<Place> place = fields.at("what_if");
  const auto below = [&](std::string_view key) {
    return Place{member(place->node, key), child(place->pointer, key), place->findings, place->files};
  };
  if (!place) return;
  if (const AnalyticCosts* costs = on_platform(experiment.costs); costs && member(place->node, "port_speed"))
    check_ports(below("port_speed"), costs->platform);
  const std::uint32_t ranks = most_ranks(experiment);
  if (member(place->node, "straggler") && experiment.what_if.straggler.rank >= ranks)
    place->findings->add(child(below("straggler").pointer, "rank"),
                         "a rank from 0 to " + std::to_string(ranks - 1),
                         std::to_string(experiment.what_if.straggler.rank));
}

}  // namespace spillway
