// The output of `spillway import`: the content of a measured trace.
#pragma once

#include <string>

#include "traces/events/trace.h"

namespace spillway {

std::string trace_text(const Trace& trace);

// Returns one document in seconds, ended by a newline: { "schema": "spillway/trace/1", "format", "files",
// "origin_s", "replicas", "ranks", "stages", "microbatches", "silent_ranks", "span_s", "steps": [ { "name",
// "span_s" } ], "events": { "forward": { "count", "total_s" }, ... }, "passes": [ { "stage", "pass", "count",
// "mean_s", "cv", percentiles as "p50_s", "max_s" } ], "notes": [ "dropped: ...", ... ] }.
std::string trace_json(const Trace& trace);

}  // namespace spillway
