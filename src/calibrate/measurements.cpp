#include "calibrate/measurements.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_format_list.h"
#include "traces/samples/ascend_samples.h"
#include "traces/samples/kineto_messages.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/nccl_results.h"
#include "traces/samples/pass_kernels.h"
#include "traces/samples/read_samples.h"

namespace spillway {
namespace {

std::vector<IssuedPass> issued_passes(const Trace& trace) {
  std::vector<IssuedPass> passes;
  for (const PassKernels& pass : pass_kernels(trace))
    passes.push_back({pass.span, pass.kernel_busy + pass.collective, pass.kernels});
  return passes;
}

// A trace's notes concern passes and ranks. The fit needs only passes with kernels, so it drops these notes.
Measurements of_trace(const std::string& path) {
  const Trace trace = read_trace(path);
  Measurements found;
  found.samples.format = trace.format;
  found.samples.files = trace.files;
  found.samples.source = short_name(path);
  found.passes = issued_passes(trace);
  if (found.passes.empty())
    throw InputError({{path, "/", "passes that launch kernels, or messages or operators timed by themselves",
                       "a trace (" + trace.format + ") without"}});
  return found;
}

// A device's messages and products are useful even if its passes cannot be recognized.
Measurements of_ascend(const std::string& path) {
  Measurements found{read_ascend_samples(path)};
  try {
    found.passes = issued_passes(read_trace(path));
  } catch (const InputError& none) {
    found.samples.notes.push_back(
        {NoteKind::Missing, 0, "passes, so that nothing is known of the host: " + std::string(none.what())});
  }
  return found;
}

// Returns the messages that kernels state, with the passes if there are any. Returns nothing without a
// message.
std::optional<Measurements> of_messages(const std::string& path, const std::vector<std::string>& files,
                                        const TimedGroup& given) {
  Measurements found{read_kineto_messages(files, given)};
  if (found.samples.messages.empty()) return std::nullopt;
  found.passes = issued_passes(read_trace(path));
  return found;
}

Measurements of_json(const std::string& path, const TimedGroup& given) {
  const LaunchedKernels run = read_launched_kernels(path);
  if (!has_passes(run)) {
    auto found = of_messages(path, {path}, given);
    return found ? *std::move(found) : of_trace(path);
  }
  Measurements found;
  found.samples.format = "kineto";
  found.samples.files = {path};
  found.samples.source = short_name(path);
  found.overlap = overlap_of(run);
  found.samples.notes = found.overlap->notes;
  return found;
}

Measurements of_folder(const std::string& path, const TimedGroup& given) {
  const Trace trace = read_trace(path);
  auto found = trace.format == "kineto" ? of_messages(path, trace.files, given) : std::nullopt;
  return found ? *std::move(found) : of_trace(path);
}

Measurements of_path(const std::string& path, const TimedGroup& given) {
  if (kAscendFolder.is_of(path)) return of_ascend(path);
  if (is_folder(path)) return of_folder(path, given);
  const std::string beginning = beginning_of(path);
  if (begins_trace(beginning)) return of_trace(path);
  if (begins_nccl_results(beginning)) return {read_nccl_results(path, given)};
  if (begins_json(beginning)) return of_json(path, given);
  return {read_samples(path, given)};
}

}  // namespace

Measurements read_measurements(const std::string& path, const std::string& origin, const TimedGroup& given) {
  Measurements found = of_path(path, given);
  if (!origin.empty()) found.samples.source = origin + ": " + found.samples.source;
  return found;
}

}  // namespace spillway
