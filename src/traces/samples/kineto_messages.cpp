#include "traces/samples/kineto_messages.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/number.h"
#include "traces/files/json_events.h"
#include "traces/formats/kineto_names.h"
#include "traces/samples/message_rows.h"

namespace spillway {
namespace kineto_messages {
namespace {

using enum CollectiveOperation;

enum Argument : std::size_t { kName, kIn, kOut, kGroup, kType, kRanks };
constexpr std::array<std::string_view, 6> kArguments = {
    "Collective name", "In msg nelems", "Out msg nelems", "Group size", "dtype", "Process Group Ranks"};

std::optional<CollectiveOperation> operation_of(std::string_view name) {
  if (name == "send" || name == "recv") return SendRecv;
  return operation_in(name);
}

// Returns the number of elements that MessageSample counts.
double elements(CollectiveOperation operation, double in, double out) {
  if (operation == AllGather) return std::max(in, out);
  return operation == SendRecv ? std::max(in, out) : in;
}

struct Message {
  CollectiveOperation operation;
  std::uint32_t devices;
  std::string ranks;  // as the file lists them
  double bytes;

  auto operator<=>(const Message&) const = default;
};

class Collector {
 public:
  void read(const std::string& path) {
    count_.clear();
    read_json_events(path, kArguments, [&](const JsonEvent& event) {
      if (event.phase == 'X' && is_device_work(event.category) && is_communication_kernel(event.name))
        take(event);
      return true;
    });
  }

  Samples finish(const std::vector<std::string>& paths, const TimedGroup& given) && {
    Samples samples;
    samples.format = "kineto";
    samples.files = paths;
    samples.source = short_name(paths.front());
    for (const auto& [message, times] : fastest_of(paths.size() == 1))
      for (const Seconds time : times) add(message, time, given, samples);
    const auto note = [&](NoteKind kind, std::size_t count, const char* text) {
      if (count > 0) samples.notes.push_back({kind, count, text});
    };
    note(NoteKind::Read, samples.messages.size(),
         paths.size() == 1
             ? "sizes of messages in NCCL's kernels, each with its fastest time: one rank's file does not "
               "show waiting"
             : "messages in NCCL's kernels, each with its fastest rank's time, since the others wait");
    note(NoteKind::Dropped, untold_, "kernels of communication without a size");
    note(NoteKind::Dropped, others_, "messages of kinds that are not fitted, such as broadcasts");
    note(NoteKind::Dropped, senseless_,
         "messages with an impossible bandwidth: they waited, or moved nothing");
    note(NoteKind::Dropped, uneven_, "messages of groups that lie unevenly on nodes");
    if (!samples.messages.empty() && !given.neighbours)
      samples.notes.push_back(
          {NoteKind::Guessed, 0,
           "the file does not state the placement of the devices: all in one node (--per-node)"});
    return samples;
  }

 private:
  void take(const JsonEvent& event) {
    const auto number = [&](Argument argument) { return number_from<double>(event.arguments[argument]); };
    const auto in = number(kIn), out = number(kOut);
    const auto devices = number_from<std::uint32_t>(event.arguments[kGroup]);
    const auto width = element_bytes(event.arguments[kType]);
    if (!in || !out || !devices || !width || !event.duration_us) {
      ++untold_;
      return;
    }
    const auto operation = operation_of(event.arguments[kName]);
    if (!operation || *devices < 2) {
      ++others_;
      return;
    }
    const Message message{*operation, *operation == SendRecv ? 2 : *devices, event.arguments[kRanks],
                          elements(*operation, *in, *out) * *width};
    std::vector<Seconds>& all = times_[message];
    const std::size_t which = count_[message]++;
    const Seconds time = microseconds(*event.duration_us);
    if (which == all.size())
      all.push_back(time);
    else
      all[which] = std::min(all[which], time);
  }

  std::map<Message, std::vector<Seconds>> fastest_of(bool one_rank) const {
    if (!one_rank) return times_;
    std::map<Message, std::vector<Seconds>> fastest;
    for (const auto& [message, times] : times_) fastest[message] = {std::ranges::min(times)};
    return fastest;
  }

  void add(const Message& message, Seconds time, const TimedGroup& given, Samples& samples) {
    if (!is_a_rate(Bytes(message.bytes), time)) {
      ++senseless_;
      return;
    }
    const std::uint32_t neighbours = neighbours_of(message, given.neighbours);
    if (message.devices % neighbours != 0) {
      ++uneven_;
      return;
    }
    samples.messages.push_back(
        {message.operation, message.devices, neighbours, "", Bytes(message.bytes), time});
  }

  // Example: ranks "0 8" on nodes of 8 are one in each node. A list that the profiler shortened counts as
  // consecutive ranks.
  static std::uint32_t neighbours_of(const Message& message, std::optional<std::uint32_t> per_node) {
    if (!per_node || *per_node == 0) return message.devices;
    std::map<std::uint32_t, std::uint32_t> on_node;
    std::uint32_t listed = 0;
    std::string_view rest = message.ranks;
    for (std::size_t at; (at = rest.find_first_of("0123456789")) != std::string_view::npos; ++listed) {
      const std::size_t end = std::min(rest.find_first_not_of("0123456789", at), rest.size());
      ++on_node[number_from<std::uint32_t>(rest.substr(at, end - at)).value_or(0) / *per_node];
      rest.remove_prefix(end);
    }
    if (listed != message.devices) return std::min(*per_node, message.devices);
    std::uint32_t most = 1;
    for (const auto& [node, count] : on_node) most = std::max(most, count);
    return most;
  }

  std::map<Message, std::vector<Seconds>> times_ = {};  // the n-th of each, on the fastest rank so far
  std::map<Message, std::size_t> count_ = {};           // in the current file
  std::size_t untold_ = 0, others_ = 0, senseless_ = 0, uneven_ = 0;
};

}  // namespace
}  // namespace kineto_messages

Samples read_kineto_messages(const std::vector<std::string>& paths, const TimedGroup& given) {
  kineto_messages::Collector collector;
  for (const std::string& path : paths) collector.read(path);
  return std::move(collector).finish(paths, given);
}

}  // namespace spillway
