#include "traces/formats/own_names.h"

#include "base/number.h"

namespace spillway {
namespace {

enum Argument : std::size_t { kReplica, kRank, kMicrobatch, kStage, kToStage, kToRank };

struct Start {
  std::string_view text;
  TraceKind kind;  // of a transfer: the sender's kind
};
constexpr std::array<Start, 10> kStarts = {{{"Fwd(", TraceKind::Forward},
                                            {"Bwd(", TraceKind::Backward},
                                            {"BwdInput(", TraceKind::BackwardInput},
                                            {"BwdWeight(", TraceKind::BackwardWeight},
                                            {"Coll(Send,", TraceKind::SendForward},
                                            {"Coll(RecvGrad,", TraceKind::SendBackward},
                                            {"Coll(Gather,", TraceKind::Collective},
                                            {"Coll(Scatter,", TraceKind::Collective},
                                            {"DpReduce(", TraceKind::Collective},
                                            {"Broadcast(", TraceKind::Collective}}};
constexpr std::string_view kOverlapped = "FwdBwd(";

std::optional<TraceKind> own_kind(std::string_view name) {
  for (const Start& start : kStarts)
    if (name.starts_with(start.text)) return start.kind;
  return std::nullopt;
}

class EventArguments {
 public:
  explicit EventArguments(std::span<const std::string> texts) : texts_(texts) {}

  template <class Number>
  std::optional<Number> at(Argument argument) const {
    return number_from<Number>(texts_[argument]);
  }

 private:
  std::span<const std::string> texts_;
};

std::optional<TraceEvent> near_side(std::string_view name, TraceKind kind, const EventArguments& arguments) {
  TraceEvent what{};
  what.kind = kind;
  what.replica = *arguments.at<std::uint16_t>(kReplica);
  what.rank = *arguments.at<std::uint16_t>(kRank);
  what.microbatch = kUnknown;
  if (const auto microbatch = arguments.at<std::uint32_t>(kMicrobatch)) what.microbatch = *microbatch - 1;
  what.stage = arguments.at<std::uint16_t>(kStage).value_or(what.rank);
  const bool told = arguments.at<std::uint16_t>(kStage) && what.microbatch != kUnknown;
  const bool sides = arguments.at<std::uint16_t>(kToStage) && arguments.at<std::uint16_t>(kToRank);
  if (is_compute(kind)) return told ? std::optional(what) : std::nullopt;
  if (is_transfer(kind)) return told && sides ? std::optional(what) : std::nullopt;
  return name.starts_with("DpReduce(") || name.starts_with("Broadcast(") ? std::optional(what) : std::nullopt;
}

TraceEvent far_side(TraceEvent what, const EventArguments& arguments) {
  what.kind = what.kind == TraceKind::SendForward ? TraceKind::ReceiveForward : TraceKind::ReceiveBackward;
  what.stage = *arguments.at<std::uint16_t>(kToStage);
  what.rank = *arguments.at<std::uint16_t>(kToRank);
  return what;
}

}  // namespace

OwnEvent own_event(std::string_view name, std::span<const std::string> texts) {
  const EventArguments arguments(texts);
  if (name.starts_with(kOverlapped)) return {{}, {}, "overlapped forwards and backwards"};
  const auto kind = own_kind(name);
  if (!kind) return {{}, {}, "events of a kind that spillway does not write"};
  if (!arguments.at<std::uint16_t>(kRank) || !arguments.at<std::uint16_t>(kReplica))
    return {{}, {}, "events without rank and replica, as other versions wrote them"};
  const auto near = near_side(name, *kind, arguments);
  if (!near) return {{}, {}, "events of regions that are not pipelined"};
  return {near, is_transfer(*kind) ? std::optional(far_side(*near, arguments)) : std::nullopt, {}};
}

bool is_own_name(std::string_view name) {
  return own_kind(name).has_value() || name.starts_with(kOverlapped);
}

}  // namespace spillway
