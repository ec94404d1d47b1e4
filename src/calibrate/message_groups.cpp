#include "calibrate/message_groups.h"

#include <optional>

#include "base/text.h"
#include "cost/network/collective_layout.h"
#include "platform/platform.h"
#include "traces/files/median.h"

namespace spillway {
namespace {

std::string shape_of(const MessageSample& sample) {
  return std::to_string(sample.devices) + " devices, " + std::to_string(sample.neighbours) + " on a node";
}

std::optional<MessageGroup> located(const Platform& platform, const MessageSample& sample) {
  const std::uint32_t node = platform.tiers[server_tier(platform)].devices;
  const std::uint32_t nodes = sample.devices / sample.neighbours;
  if (sample.neighbours > node || nodes > platform.device_count() / node) return std::nullopt;
  const DeviceGroup where{DeviceId(0), sample.neighbours, 1, nodes, node};
  const Devices devices = devices_of(platform, where);
  const std::size_t tier = widest_tier(platform, devices);
  // The pricing identifies a curve by tier and counts. Without a tier between, it cannot distinguish several
  // nodes from one.
  const std::uint32_t inner = common_size(by_inner_group(platform, devices));
  if (inner == 0) return std::nullopt;
  return MessageGroup{tier, sample.operation, sample.devices, inner, where};
}

struct Gathered {
  std::map<Bytes, std::vector<Seconds>> times;
  std::vector<std::string> sources;
};

GroupedMessages settled(const Gathered& gathered, std::size_t& repeated) {
  GroupedMessages group;
  for (const auto& [bytes, times] : gathered.times) {
    group.points.emplace_back(bytes, median(times));
    repeated += times.size() > 1;
  }
  group.sources = joined(gathered.sources, "; ");
  return group;
}

}  // namespace

std::string name_of(const Platform& platform, const MessageGroup& group) {
  const std::string each = group.inner > 1 ? ", " + std::to_string(group.inner) + " each" : "";
  return std::string(word_for(group.operation)) + ", " + std::to_string(group.devices) + " devices of " +
         platform.tiers[group.tier].name + each;
}

std::map<MessageGroup, GroupedMessages> grouped(const Platform& platform, const std::vector<Samples>& all,
                                                std::vector<Note>& notes) {
  std::map<MessageGroup, Gathered> gathered;
  std::map<std::string, std::size_t> homeless;
  for (const Samples& samples : all) {
    for (const MessageSample& sample : samples.messages) {
      const std::optional<MessageGroup> group = located(platform, sample);
      if (!group) {
        ++homeless[shape_of(sample)];
        continue;
      }
      Gathered& home = gathered[*group];
      home.times[sample.size].push_back(sample.time);
      if (home.sources.empty() || home.sources.back() != samples.source)
        home.sources.push_back(samples.source);
    }
  }
  for (const auto& [shape, count] : homeless)
    notes.push_back({NoteKind::Dropped, count,
                     "measurements among " + shape + ", which " + platform.name + " cannot hold"});
  std::size_t repeated = 0;
  std::map<MessageGroup, GroupedMessages> groups;
  for (const auto& [group, home] : gathered) groups.emplace(group, settled(home, repeated));
  if (repeated > 0)
    notes.push_back({NoteKind::Read, repeated, "sizes measured several times, of which the median is taken"});
  return groups;
}

}  // namespace spillway
