#include "execute/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/memory.h"
#include "base/text.h"

namespace spillway {
namespace {

// The share of the memory for buffers. The rest is for MPI, the programs in memory and the system.
constexpr double kForBuffers = 0.8;

// The bytes that an action moves, without a value if they are not known.
std::optional<Bytes> moved_by(const Program& program, const RankAction& action) {
  if (const auto* send = std::get_if<Send>(&action)) return program.sizes[send->size].bytes;
  if (const auto* receive = std::get_if<PostReceive>(&action)) return program.sizes[receive->size].bytes;
  if (const auto* broadcast = std::get_if<BroadcastAction>(&action)) return broadcast->bytes;
  if (const auto* reduce = std::get_if<ReduceAction>(&action)) return reduce->bytes;
  return {};
}

class Assignment {
 public:
  std::uint32_t take(std::uint64_t bytes) {
    auto free = free_.lower_bound(bytes);
    if (free == free_.end() && !free_.empty()) --free;
    std::uint32_t buffer = static_cast<std::uint32_t>(bytes_.size());
    if (free == free_.end()) {
      bytes_.push_back(bytes);
    } else {
      buffer = free->second;
      free_.erase(free);
      bytes_[buffer] = std::max(bytes_[buffer], bytes);
    }
    return buffer;
  }

  void give_back(std::uint32_t buffer) { free_.emplace(bytes_[buffer], buffer); }

  std::vector<std::uint64_t> bytes() && { return std::move(bytes_); }

 private:
  std::vector<std::uint64_t> bytes_;
  std::multimap<std::uint64_t, std::uint32_t> free_;  // by size
};

bool is_message(const RankAction& action) {
  return std::holds_alternative<Send>(action) || std::holds_alternative<PostReceive>(action);
}

}  // namespace

Bytes BufferPlan::total() const {
  return Bytes(std::accumulate(bytes.begin(), bytes.end(), 0.0));
}

BufferPlan buffers_of(const Program& program, const RankProgram& of) {
  Assignment assignment;
  BufferPlan plan{{}, std::vector<std::uint32_t>(of.actions.size())};
  for (std::size_t index = 0; index < of.actions.size(); ++index) {
    const RankAction& action = of.actions[index];
    if (const auto* wait = std::get_if<Wait>(&action)) {
      if (moved_by(program, of.actions[wait->of])) assignment.give_back(plan.of_action[wait->of]);
    } else if (const auto moved = moved_by(program, action)) {
      ensure(*moved <= kMostActionBytes, "a reader refuses more bytes");
      const auto bytes = static_cast<std::uint64_t>(moved->value());
      plan.of_action[index] = assignment.take(is_message(action) ? bytes : std::min(bytes, kPieceBytes));
    }
  }
  plan.bytes = std::move(assignment).bytes();
  return plan;
}

std::vector<Violation> check_sizes(const Program& program) {
  std::size_t unknown = 0, messages = 0;
  std::string first;
  for (std::size_t rank = 0; rank < program.programs.size(); ++rank)
    for (std::size_t index = 0; index < program.programs[rank].actions.size(); ++index) {
      const RankAction& action = program.programs[rank].actions[index];
      if (!is_message(action)) continue;
      ++messages;
      if (moved_by(program, action) || unknown++ > 0) continue;
      first = "/programs/" + std::to_string(rank) + "/actions/" + std::to_string(index) + "/bytes";
    }
  if (unknown == 0) return {};
  return {{"", first,
           "the bytes of every message (in an experiment with given durations, the \"output_bytes\" of each "
           "block's profile)",
           "null, as in " + std::to_string(unknown) + " of " + counted(messages, "end") + " of messages"}};
}

std::vector<Violation> check_buffers(const Program& program, std::uint64_t memory) {
  Bytes bytes;
  for (const RankProgram& of : program.programs) bytes += buffers_of(program, of).total();
  if (bytes.value() <= kForBuffers * double(memory)) return {};
  return {
      {"", "/programs",
       "messages whose buffers fit in " + memory_text(kForBuffers * double(memory)) +
           ", four fifths of the memory",
       fmt::format("buffers of {} ({:.0f} bytes) on all ranks", memory_text(bytes.value()), bytes.value())}};
}

}  // namespace spillway
