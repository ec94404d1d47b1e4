#include "measured/own_trace.h"

#include <array>
#include <optional>
#include <utility>

#include "base/number.h"
#include "measured/range_pairs.h"

namespace spillway {
namespace {

constexpr std::string_view kArguments[] = {"microbatch", "stage", "to_stage", "to_rank"};
enum Argument { kMicrobatch, kStage, kToStage, kToRank };

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
constexpr std::string_view kOverlapped = "FwdBwd(";

std::optional<TraceKind> kind_of(std::string_view name) {
  for (const Start& start : kStarts)
    if (name.starts_with(start.text)) return start.kind;
  return std::nullopt;
}

TraceKind received(TraceKind sent) {
  return sent == TraceKind::SendForward ? TraceKind::ReceiveForward : TraceKind::ReceiveBackward;
}

class Import {
 public:
  explicit Import(const std::string& path) : trace_("spillway") { trace_.start_file(path); }

  void take(const JsonEvent& event) {
    if (event.phase == 'M') return;
    if (event.phase == 'b') return begin(event);
    if (event.phase == 'e') return end(event);
    if (event.phase == 'X') return keep(event, std::nullopt);
    trace_.drop("events of a kind that spillway does not write", event.number);
  }

  Trace finish() && {
    pairs_.finish(trace_);
    return std::move(trace_).finish();
  }

 private:
  // Only a begin has the args, and of one id events follow one another.
  void begin(const JsonEvent& event) {
    arguments_[event.id] = event.arguments;
    pairs_.begin(event, trace_);
  }

  void end(const JsonEvent& event) {
    const auto start = pairs_.end(event, trace_);
    if (!start || !is_own_name(event.name)) return;  // the row's own title
    JsonEvent whole = event;
    whole.arguments = arguments_[event.id];
    keep(whole, start);
  }

  void keep(const JsonEvent& event, const std::optional<ClockReading>& start) {
    const auto kind = kind_of(event.name);
    if (event.name.starts_with(kOverlapped))
      return trace_.drop("overlapped forwards and backwards", event.number);
    if (!kind) return trace_.drop("events of a kind that spillway does not write", event.number);
    const auto what = described(event, *kind);
    if (!what) return trace_.drop("events of regions that are not pipelined", event.number);
    add(event, start, *what);
    if (!is_transfer(*kind)) return;
    add(event, start, far_side(event, *what));
  }

  void add(const JsonEvent& event, const std::optional<ClockReading>& start, const TraceEvent& what) {
    if (start)
      trace_.add(event, *start, what);
    else
      trace_.add(event, what);
  }

  template <class Number>
  static std::optional<Number> number(const JsonEvent& event, Argument argument) {
    return number_from<Number>(event.arguments[argument]);
  }

  static std::optional<TraceEvent> described(const JsonEvent& event, TraceKind kind) {
    TraceEvent what{};
    what.kind = kind;
    what.replica = number_from<std::uint16_t>(event.process).value_or(0);
    what.rank = number_from<std::uint16_t>(event.thread).value_or(0);
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
  RangePairs pairs_;
  std::map<std::string, std::vector<std::string>> arguments_;  // by id, of the begin that is open
};

}  // namespace

bool is_own_name(std::string_view name) {
  return kind_of(name).has_value() || name.starts_with(kOverlapped);
}

Trace read_own_trace(const std::string& path) {
  Import import(path);
  read_json_events(path, kArguments, [&](const JsonEvent& event) {
    import.take(event);
    return true;
  });
  return std::move(import).finish();
}

}  // namespace spillway
