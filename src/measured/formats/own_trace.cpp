// The traces that `spillway run --out` writes (src/report/trace/chrome_trace.h), so that a run can be held
// against itself.
//
// Passes and transfers of the pipelined regions, whose events carry "stage" in their args; one transfer
// becomes a send and a receive with the same times. Reductions are collectives. What a transposed region
// does, and overlapped forwards and backwards, are dropped and counted. One step.

#include <array>
#include <optional>
#include <utility>

#include "base/number.h"
#include "measured/formats/trace_formats.h"
#include "measured/trace/trace_builder.h"

namespace spillway {
namespace own {
namespace {

constexpr std::string_view kArguments[] = {"replica", "rank", "microbatch", "stage", "to_stage", "to_rank"};
enum Argument { kReplica, kRank, kMicrobatch, kStage, kToStage, kToRank };

struct Start {
  std::string_view text;
  TraceKind kind;  // of a transfer: its sender's
};
constexpr std::array<Start, 9> kStarts = {{{"Fwd(", TraceKind::Forward},
                                           {"Bwd(", TraceKind::Backward},
                                           {"BwdInput(", TraceKind::BackwardInput},
                                           {"BwdWeight(", TraceKind::BackwardWeight},
                                           {"Coll(Send,", TraceKind::SendForward},
                                           {"Coll(RecvGrad,", TraceKind::SendBackward},
                                           {"Coll(Gather,", TraceKind::Collective},
                                           {"Coll(Scatter,", TraceKind::Collective},
                                           {"DpReduce(", TraceKind::Collective}}};
constexpr std::string_view kBeside = "MCstf";  // names, counters and arrows: nothing that runs
constexpr std::string_view kOverlapped = "FwdBwd(";

std::optional<TraceKind> kind_of(std::string_view name) {
  for (const Start& start : kStarts)
    if (name.starts_with(start.text)) return start.kind;
  return std::nullopt;
}

TraceKind received(TraceKind sent) {
  return sent == TraceKind::SendForward ? TraceKind::ReceiveForward : TraceKind::ReceiveBackward;
}

bool is_own_name(std::string_view name) {
  return kind_of(name).has_value() || name.starts_with(kOverlapped);
}

class Import {
 public:
  explicit Import(const std::string& path) : trace_("spillway") { trace_.start_file(path); }

  void take(const JsonEvent& event) {
    if (kBeside.find(event.phase) != std::string_view::npos) return;
    if (event.phase != 'X') return trace_.drop("events of a kind that spillway does not write", event.number);
    const Sides sides = sides_of(event);
    if (sides.near) trace_.add(event, *sides.near);
    if (sides.far) trace_.add(event, *sides.far);
  }

  Trace finish(const JsonEventsRead& read) && {
    trace_.finish_file(read);
    return std::move(trace_).finish();
  }

 private:
  // A transfer has both, anything else the first, what is dropped neither.
  struct Sides {
    std::optional<TraceEvent> near;
    std::optional<TraceEvent> far;
  };

  Sides sides_of(const JsonEvent& event) {
    const auto dropped = [&](std::string_view why) { return trace_.drop(why, event.number), Sides{}; };
    if (event.name.starts_with(kOverlapped)) return dropped("overlapped forwards and backwards");
    const auto kind = kind_of(event.name);
    if (!kind) return dropped("events of a kind that spillway does not write");
    if (!number<std::uint16_t>(event, kRank) || !number<std::uint16_t>(event, kReplica))
      return dropped("events without rank and replica, as other versions wrote them");
    const auto near = described(event, *kind);
    if (!near) return dropped("events of regions that are not pipelined");
    return {near, is_transfer(*kind) ? std::optional(far_side(event, *near)) : std::nullopt};
  }

  template <class Number>
  static std::optional<Number> number(const JsonEvent& event, Argument argument) {
    return number_from<Number>(event.arguments[argument]);
  }

  static std::optional<TraceEvent> described(const JsonEvent& event, TraceKind kind) {
    TraceEvent what{};
    what.kind = kind;
    what.replica = *number<std::uint16_t>(event, kReplica);
    what.rank = *number<std::uint16_t>(event, kRank);
    what.microbatch = kUnknown;
    if (const auto microbatch = number<std::uint32_t>(event, kMicrobatch)) what.microbatch = *microbatch - 1;
    what.stage = number<std::uint16_t>(event, kStage).value_or(what.rank);
    const bool told = number<std::uint16_t>(event, kStage) && what.microbatch != kUnknown;
    const bool sides = number<std::uint16_t>(event, kToStage) && number<std::uint16_t>(event, kToRank);
    if (is_compute(kind)) return told ? std::optional(what) : std::nullopt;
    if (is_transfer(kind)) return told && sides ? std::optional(what) : std::nullopt;
    return event.name.starts_with("DpReduce(") ? std::optional(what) : std::nullopt;
  }

  static TraceEvent far_side(const JsonEvent& event, TraceEvent what) {
    what.kind = received(what.kind);
    what.stage = *number<std::uint16_t>(event, kToStage);
    what.rank = *number<std::uint16_t>(event, kToRank);
    return what;
  }

  TraceBuilder trace_;
};

Trace read(const std::string& path) {
  Import import(path);
  const auto read = read_json_events(path, kArguments, [&](const JsonEvent& event) {
    import.take(event);
    return true;
  });
  return std::move(import).finish(read);
}

bool wrote(const JsonEvent& event) {
  return event.phase == 'X' && is_own_name(event.name);
}

}  // namespace
}  // namespace own

const EventFormat kOwnTrace = {"spillway", own::wrote, own::read};

}  // namespace spillway
