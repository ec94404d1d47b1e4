#include "api/import_trace.h"

#include <algorithm>

#include "api/experiment_input.h"
#include "json/shipped_files.h"
#include "traces/events/trace.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_csv.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

void write_compact(const std::string& path, const Trace& trace) {
  const bool any = std::any_of(trace.events.begin(), trace.events.end(), [](const TraceEvent& event) {
    return is_compute(event.kind) || is_transfer(event.kind) || event.kind == TraceKind::Collective;
  });
  if (!any) refuse_argument("--out", "a trace with passes, transfers or collectives", "none of them");
  write_whole_file(path, [&](std::ostream& out) { write_trace_csv(out, trace); });
}

}  // namespace

Trace import_trace(const ImportArguments& arguments) {
  Trace trace = read_trace(shipped_argument(arguments.trace, "recorded"));
  if (!arguments.steps.empty()) keep_steps(trace, arguments.steps);
  if (!arguments.out.empty()) write_compact(arguments.out, trace);
  return trace;
}

}  // namespace spillway
