// What is in a measured trace, as `spillway import` prints it.
#pragma once

#include <string>

#include "traces/events/trace.h"

namespace spillway {

std::string trace_text(const Trace& trace);

// One document, ended by a newline, seconds: { "schema": "spillway/trace/1", "format", "files", "origin_s",
// "replicas", "ranks", "stages", "microbatches", "silent_ranks", "span_s", "steps": [ { "name", "span_s" } ],
// "events": { "forward": { "count", "total_s" }, ... }, "notes": [ "dropped: ...", ... ] }.
std::string trace_json(const Trace& trace);

}  // namespace spillway
