#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/notes_json.h"
#include "report/inputs/trace_text.h"
#include "traces/events/trace_summary.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

Json steps_json(const Trace& trace, const TraceSummary& what) {
  Json steps = Json::array();
  for (std::size_t step = 0; step < trace.steps.size(); ++step)
    steps.push_back({{"name", trace.steps[step]}, {"span_s", what.step_spans[step].value()}});
  return steps;
}

Json events_json(const TraceSummary& what) {
  Json events = Json::object();
  for (std::size_t kind = 0; kind < kTraceKinds; ++kind)
    if (what.kinds[kind].events > 0)
      events[std::string(to_string(static_cast<TraceKind>(kind)))] = {
          {"count", what.kinds[kind].events}, {"total_s", what.kinds[kind].time.value()}};
  return events;
}

Json passes_json(const TraceSummary& what) {
  Json passes = Json::array();
  for (const PassDurations& one : what.passes) {
    Json pass = {{"stage", one.stage},
                 {"pass", to_string(one.kind)},
                 {"count", one.passes},
                 {"mean_s", one.mean.value()},
                 {"cv", one.cv}};
    for (std::size_t i = 0; i < kPercentiles.size(); ++i)
      pass["p" + std::to_string(kPercentiles[i]) + "_s"] = one.percentiles[i].value();
    pass["max_s"] = one.most.value();
    passes.push_back(pass);
  }
  return passes;
}

}  // namespace

std::string trace_json(const Trace& trace) {
  const TraceSummary what = summary(trace);
  const Json document = {{"schema", "spillway/trace/1"},
                         {"format", trace.format},
                         {"files", trace.files},
                         {"origin_s", trace.origin_s},
                         {"replicas", what.replicas},
                         {"ranks", what.ranks},
                         {"stages", what.stages},
                         {"microbatches", what.microbatches},
                         {"silent_ranks", what.silent},
                         {"span_s", what.span.value()},
                         {"steps", steps_json(trace, what)},
                         {"events", events_json(what)},
                         {"passes", passes_json(what)},
                         {"notes", notes_json(trace.notes)}};
  // dumped() makes names valid UTF-8, because they come from files in any encoding.
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
