#include "traces/samples/ascend_samples.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "traces/ascend/ascend_communication.h"
#include "traces/ascend/ascend_ranks.h"
#include "traces/samples/ascend_gemms.h"
#include "traces/samples/message_rows.h"

namespace spillway {
namespace {

struct DroppedSamples {
  std::size_t several_devices = 0;
  std::size_t several_transports = 0;
  std::size_t other_operations = 0;
};

std::optional<CollectiveOperation> collective(std::string_view kind) {
  if (kind == "allReduce") return CollectiveOperation::AllReduce;
  if (kind == "allGather") return CollectiveOperation::AllGather;
  if (kind == "reduceScatter") return CollectiveOperation::ReduceScatter;
  return std::nullopt;
}

// All transports except RDMA stay within a node.
std::uint32_t neighbours(const std::string& transport) {
  return transport == "RDMA" ? 1 : 2;
}

class MessageReader {
 public:
  // Reads the groups of every device first, because one device's matrix shows only its own links.
  void read_groups(const std::string& path) {
    for (const auto& [group, devices] : read_ascend_groups(path))
      devices_[group] = std::max(devices_[group], devices);
  }

  void read(const std::string& path) {
    for (const AscendOperation& operation : read_ascend_communication(path)) {
      if (operation.transits.empty()) continue;
      if (operation.point_to_point)
        add_messages(operation);
      else
        add_collective(operation);
    }
  }

  std::vector<MessageSample> messages;
  DroppedSamples dropped;

 private:
  void add_messages(const AscendOperation& operation) {
    for (const AscendTransit& transit : operation.transits)
      if (transit.count > 0)
        messages.push_back({CollectiveOperation::SendRecv, 2, neighbours(transit.transport),
                            transit.transport, transit.size, transit.time / transit.count});
  }

  void add_collective(const AscendOperation& operation) {
    const auto kind = collective(ascend_operation_kind(operation.name));
    const auto devices = devices_.find(operation.group);
    const std::string& transport = operation.transits.front().transport;
    const bool one = std::all_of(operation.transits.begin(), operation.transits.end(),
                                 [&](const AscendTransit& other) { return other.transport == transport; });
    if (!kind) {
      ++dropped.other_operations;
    } else if (devices == devices_.end() || devices->second != 2) {
      ++dropped.several_devices;
    } else if (!one) {
      ++dropped.several_transports;
    } else {
      add_pair(*kind, operation);
    }
  }

  void add_pair(CollectiveOperation kind, const AscendOperation& operation) {
    Bytes moved;
    Seconds time;
    for (const AscendTransit& transit : operation.transits) {
      moved += transit.size * transit.count;
      time += transit.time;
    }
    const double vector_over_moved = kind == CollectiveOperation::AllReduce ? 1 : 2;
    const std::string& transport = operation.transits.front().transport;
    messages.push_back({kind, 2, neighbours(transport), transport, moved * vector_over_moved, time});
  }

  std::map<std::string, std::uint32_t> devices_;  // [group]
};

void add_notes(const MessageReader& reader, const AscendGemms& gemms, std::vector<Note>& notes) {
  const auto note = [&](NoteKind kind, std::size_t count, std::string text) {
    if (count > 0) notes.push_back({kind, count, std::move(text)});
  };
  note(NoteKind::Read, reader.messages.size(),
       "messages and collectives, with their transit time only, without waiting and the local sum");
  note(NoteKind::Read, gemms.kernels(),
       "products of matrices, of which the median for each of " + std::to_string(gemms.medians().size()) +
           " shapes");
  note(NoteKind::Dropped, reader.dropped.several_devices,
       "collectives among more than two devices, or of a group in no communication_matrix.json");
  note(NoteKind::Dropped, reader.dropped.several_transports, "collectives over more than one transport");
  note(NoteKind::Dropped, reader.dropped.other_operations,
       "collectives other than all-reduce, all-gather and reduce-scatter");
  note(NoteKind::Dropped, gemms.blocked(),
       "products of batches, in blocked formats or of other types than BF16");
}

}  // namespace

Samples read_ascend_samples(const std::string& path) {
  Samples samples;
  samples.format = "ascend";
  samples.source = short_name(path);
  MessageReader reader;
  AscendGemms gemms;
  const std::vector<AscendRank> ranks = ascend_ranks(path);
  const auto for_each_file = [&](const std::string& name, auto read) {
    std::size_t missing = 0;
    for (const AscendRank& rank : ranks) {
      const std::string file = rank.file(name);
      if (file.empty()) {
        ++missing;
        continue;
      }
      read(file);
      samples.files.push_back(file);
    }
    if (missing > 0) samples.notes.push_back({NoteKind::Missing, missing, name + " of a device"});
  };
  for_each_file("communication_matrix.json", [&](const std::string& file) { reader.read_groups(file); });
  for_each_file("communication.json", [&](const std::string& file) { reader.read(file); });
  for_each_file("kernel_details.csv", [&](const std::string& file) { gemms.read(file); });
  add_notes(reader, gemms, samples.notes);
  samples.messages = std::move(reader.messages);
  samples.operators.gemms = gemms.medians();
  if (samples.messages.empty() && samples.operators.gemms.empty())
    throw InputError({{path, "/", "a message, collective or product of matrices", "none"}});
  return samples;
}

}  // namespace spillway
