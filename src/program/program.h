// A program has the actions of every rank of a job in one step, in the form of a runtime. It is made from an
// order (lower.h), printed as spillway/program/1, checked (deadlock.h) and executed.
//
// A rank executes its actions one after the other. Messages, broadcasts and reductions are started and go on
// beside the actions that follow. A wait, a pass that a group computes together, and the barrier block. A
// send and its receive agree in (replica, sender, receiver, tag). Tags count over each ordered pair of ranks,
// and both sides start its messages in the order of tags. So a library without tags, such as NCCL, works with
// one communicator for each ordered pair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "cost/price.h"
#include "model/model.h"

namespace spillway {

enum class ActionPass : std::uint8_t { Forward, Backward, InputGradient, WeightGradient, Recompute, Fused };
inline constexpr std::array<std::string_view, 6> kActionPasses = {
    "forward", "backward", "input_gradient", "weight_gradient", "recompute", "fused"};
inline constexpr std::string_view to_string(ActionPass pass) {
  return kActionPasses[static_cast<std::size_t>(pass)];
}

// The bytes of a message, a broadcast or a reduction are at most 2^53. Up to there each whole number is a
// double of its own, and far below a 64-bit count.
inline constexpr Bytes kMostActionBytes{9007199254740992.0};

// The stage computes the microbatch. `from` is the stage whose output it takes; none: the sample itself. A
// fused action runs `with`, a whole backward of another microbatch, beside its forward. The seconds of a
// recomputation are part of the pass that follows it. A stage whose experts span replicas is computed by the
// members of `group` together: it begins when the last of them is ready.
struct ComputeAction {
  struct Visit {
    StageId stage;
    MicrobatchId microbatch;
    std::optional<StageId> from;

    friend bool operator==(const Visit&, const Visit&) = default;
  };
  ActionPass pass;
  Visit at;
  std::optional<Visit> with = {};
  std::optional<std::uint32_t> group = {};  // index of Program::groups
  Seconds time = {};

  friend bool operator==(const ComputeAction&, const ComputeAction&) = default;
};

// The output of stage `from` for stage `to`, or backward the gradient that `from` made of the output of `to`.
// Both ends of a message have the same value, but for `peer`, the rank at the other end.
struct MessageAction {
  RankId peer;
  std::uint32_t tag;
  StageId from, to;
  MicrobatchId microbatch;
  bool backward;
  std::uint32_t size;  // index of Program::sizes
  Seconds time;        // alone on its links

  friend bool operator==(const MessageAction&, const MessageAction&) = default;
};
struct PostReceive : MessageAction {};
struct Send : MessageAction {};

// Blocks until action number `of` of the same rank is over: the message has arrived (a receive), its buffer
// is free (a send), or the group has exchanged what it exchanges.
struct Wait {
  std::uint32_t of;

  friend bool operator==(const Wait&, const Wait&) = default;
};

// The local end of a transposed region's seam. Gather: the rank takes what owners made. Scatter: it passes
// on what it made for an owner. `stage` is that of the transposed region.
struct SeamAction {
  bool gathers;
  bool backward;
  StageId stage;
  MicrobatchId microbatch;

  friend bool operator==(const SeamAction&, const SeamAction&) = default;
};

// The first member's rank sends the stage's parameters to the others.
struct BroadcastAction {
  std::uint32_t group;  // index of Program::groups
  StageId stage;
  std::optional<Bytes> bytes;
  Seconds time;

  friend bool operator==(const BroadcastAction&, const BroadcastAction&) = default;
};

// The microbatch's loss, from the output of `stage`; it makes the gradient of that output.
struct LossAction {
  StageId stage;
  MicrobatchId microbatch;

  friend bool operator==(const LossAction&, const LossAction&) = default;
};

// The sum of the stage's gradients over the members of a group.
struct ReduceAction {
  std::uint32_t group;
  StageId stage;
  std::optional<Bytes> bytes;
  Seconds time;

  friend bool operator==(const ReduceAction&, const ReduceAction&) = default;
};

// The optimizer step of a stage's parameters, where its reduction does not take its time already.
struct UpdateAction {
  StageId stage;
  Seconds time = {};

  friend bool operator==(const UpdateAction&, const UpdateAction&) = default;
};

// All ranks of all replicas meet; the step ends.
struct BarrierAction {
  Seconds time = {};

  friend bool operator==(const BarrierAction&, const BarrierAction&) = default;
};

using RankAction = std::variant<ComputeAction, PostReceive, Send, Wait, SeamAction, BroadcastAction,
                                LossAction, ReduceAction, UpdateAction, BarrierAction>;

struct RankProgram {
  ReplicaId replica;
  RankId rank;
  std::uint64_t first_id;  // the id of its first action; the others follow
  std::vector<RankAction> actions;
  std::vector<std::uint64_t> ids = {};  // of each action, if they do not follow one another

  std::uint64_t id(std::size_t index) const { return ids.empty() ? first_id + index : ids[index]; }
};

struct ProgramRegion {
  std::string name;
  Role role;
  std::uint32_t first_layer, end_layer;
  bool trainable;
};

struct ProgramStage {
  std::string region;
  RankId rank;
  std::uint32_t first_layer, end_layer;
  bool trained;  // accumulates gradients
};

struct GroupMember {
  ReplicaId replica;
  RankId rank;

  friend auto operator<=>(const GroupMember&, const GroupMember&) = default;
};

// A microbatch as it was sampled: the tokens that pass the backbone, those of text among them, and what the
// towers take.
struct ProgramSample {
  struct Media {
    std::string_view kind;  // "image" (or video), "clip"
    std::uint32_t patches;
    std::uint32_t tokens;  // of the backbone
  };
  std::uint64_t tokens, text_tokens;
  std::vector<Media> media;
};

struct Program {
  std::string experiment;
  std::string schedule;
  std::uint32_t draw;
  std::uint32_t ranks, microbatches, replicas;
  bool blocking;  // a send's wait follows it
  Seconds makespan;
  std::vector<ProgramRegion> blocks;
  std::vector<ProgramStage> stages;
  std::vector<MessageSize> sizes;
  std::vector<std::vector<GroupMember>> groups;
  std::vector<std::vector<ProgramSample>> samples;  // [replica][microbatch]; empty if durations are given
  std::vector<RankProgram> programs;                // replica by replica, rank by rank

  const RankProgram& of(ReplicaId replica, RankId rank) const {
    return programs[std::size_t{replica.index()} * ranks + rank.index()];
  }
};

}  // namespace spillway
