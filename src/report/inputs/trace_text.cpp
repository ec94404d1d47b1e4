#include "report/inputs/trace_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "traces/events/trace_summary.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Returns the first `most` texts, and the last one.
std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string all;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i)
    all += (i == 0 ? "" : ", ") + printable(texts[i]);
  return texts.size() > most ? fmt::format("{}, ... {}", all, printable(texts.back())) : all;
}

std::string steps_line(const Trace& trace, const TraceSummary& what) {
  const auto [shortest, longest] = std::minmax_element(what.step_spans.begin(), what.step_spans.end());
  if (shortest == what.step_spans.end()) return "no step\n";
  const std::string others =
      *shortest == *longest ? std::string() : fmt::format("{} to ", duration_text(*shortest));
  return fmt::format("{}: {}; {}{} from first start to last end\n", counted(trace.steps.size(), "step"),
                     first_of(trace.steps, 8), others, duration_text(*longest));
}

std::string kinds_table(const TraceSummary& what) {
  std::vector<std::vector<std::string>> rows = {{"events", "count", "total", "mean"}};
  for (std::size_t kind = 0; kind < kTraceKinds; ++kind) {
    const auto& [events, time] = what.kinds[kind];
    if (events == 0) continue;
    rows.push_back({std::string(to_string(static_cast<TraceKind>(kind))), std::to_string(events),
                    duration_text(time), duration_text(time / static_cast<double>(events))});
  }
  return table_text(rows);
}

std::string passes_table(const TraceSummary& what) {
  if (what.passes.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"stage", "pass", "mean", "p5", "p50", "p95", "most", "cv"}};
  for (const PassDurations& one : what.passes)
    rows.push_back({std::to_string(one.stage), std::string(to_string(one.kind)), duration_text(one.mean),
                    duration_text(one.percentile(5)), duration_text(one.percentile(50)),
                    duration_text(one.percentile(95)), duration_text(one.most),
                    fmt::format("{:.3f}", one.cv)});
  return table_text(rows);
}

std::string silent_line(const TraceSummary& what) {
  if (what.silent == 0) return "";
  std::vector<std::string> first;
  for (const auto& [replica, rank] : what.silent_first)
    first.push_back(fmt::format("rank {} of replica {}", rank, replica));
  return fmt::format("missing: {} without events: {}{}\n", counted(what.silent, "rank"),
                     first_of(first, first.size()), what.silent > first.size() ? ", ..." : "");
}

// Processes without passes and with one rank each are not known to form a pipeline.
std::string layout_line(const TraceSummary& what) {
  if (what.passes.empty() && what.ranks == 1)
    return fmt::format("{}, not known to be of a pipeline\n",
                       what.replicas == 1 ? "1 process" : fmt::format("{} processes", what.replicas));
  return fmt::format(
      "{}, {}, {}, {}\n", counted(what.replicas, "replica"), counted(what.ranks, "rank"),
      counted(what.stages, "stage"),
      what.microbatches == 0 ? "microbatches without numbers" : counted(what.microbatches, "microbatch"));
}

}  // namespace

std::string trace_text(const Trace& trace) {
  const TraceSummary what = summary(trace);
  std::string text = fmt::format("{}: {}\n", trace.format, first_of(trace.files, 4));
  text += steps_line(trace, what);
  text += layout_line(what);
  text += kinds_table(what) + passes_table(what) + silent_line(what);
  for (const Note& note : trace.notes) text += wrapped("", to_string(note), kTableColumns);
  return text;
}

}  // namespace spillway
