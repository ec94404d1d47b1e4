#include "twin/whole_steps.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace spillway {
namespace {

struct PassPlace {
  std::uint16_t replica, stage;
  std::uint32_t microbatch;
  TraceKind kind;

  friend auto operator<=>(const PassPlace&, const PassPlace&) = default;
};
using Passes = std::set<PassPlace>;

std::map<std::uint32_t, Passes> passes_by_step(const Trace& trace) {
  std::map<std::uint32_t, Passes> steps;
  for (const TraceEvent& event : trace.events)
    if (is_compute(event.kind) && event.microbatch != kUnknown)
      steps[event.step].insert({event.replica, event.stage, event.microbatch, event.kind});
  return steps;
}

// The passes that a complete step has: those of any step, and the other directions of their microbatches.
Passes passes_of_any(const std::map<std::uint32_t, Passes>& steps) {
  Passes all;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::set<TraceKind>> kinds;
  for (const auto& [step, passes] : steps)
    for (const PassPlace& pass : passes) {
      all.insert(pass);
      kinds[{pass.replica, pass.stage}].insert(pass.kind);
    }
  Passes whole = all;
  for (PassPlace pass : all)
    for (const TraceKind kind : kinds[{pass.replica, pass.stage}]) {
      pass.kind = kind;
      whole.insert(pass);
    }
  return whole;
}

// What readers leave out that may be a pass. Other events that they leave out are none.
constexpr std::array<std::string_view, 10> kMayBePasses = {"events with a negative duration",
                                                           "rows with a negative duration",
                                                           "events without a start",
                                                           "events without a duration",
                                                           "events without a time",
                                                           "rows without a finite start and duration",
                                                           "ends without a begin",
                                                           "begins without an end",
                                                           "ranges without a pipeline rank",
                                                           "passes without microbatch or model chunk"};

std::size_t dropped_in(const Trace& trace) {
  const auto may_be_passes = [](const Note& note) {
    return std::ranges::any_of(kMayBePasses,
                               [&](std::string_view begin) { return note.text.starts_with(begin); });
  };
  std::size_t dropped = 0;
  for (const Note& note : trace.notes)
    if (note.kind == NoteKind::Dropped && may_be_passes(note)) dropped += note.count;
  return dropped;
}

std::string pass_text(const PassPlace& pass) {
  return "the " + std::string(to_string(pass.kind)) + " of microbatch " + std::to_string(pass.microbatch) +
         " in stage " + std::to_string(pass.stage) +
         (pass.replica > 0 ? " of replica " + std::to_string(pass.replica) : "");
}

struct MissingPasses {
  std::optional<std::pair<std::uint32_t, PassPlace>> first = {};  // with its step
  std::size_t count = 0, of = 0;
};

MissingPasses missing_in(const Trace& trace) {
  const std::map<std::uint32_t, Passes> steps = passes_by_step(trace);
  const Passes whole = passes_of_any(steps);
  MissingPasses missing;
  missing.of = steps.size() * whole.size();
  for (const auto& [step, passes] : steps)
    for (const PassPlace& pass : whole) {
      if (passes.contains(pass)) continue;
      if (!missing.first) missing.first = {step, pass};
      ++missing.count;
    }
  return missing;
}

}  // namespace

std::optional<std::string> require_whole_steps(const Trace& trace) {
  const MissingPasses missing = missing_in(trace);
  if (missing.count == 0) return std::nullopt;
  const auto& [step, pass] = *missing.first;
  const std::string share = std::to_string(missing.count) + " of " + std::to_string(missing.of) + " passes";
  const std::size_t dropped = dropped_in(trace);
  if (missing.count > dropped)
    throw InputError(
        {{trace.files.front(), "step " + trace.steps[step], pass_text(pass),
          "none; " + share + " are missing, as in a file that was cut; --step chooses whole steps"}});
  return share + " are missing, the first is " + pass_text(pass) + " in step " + trace.steps[step] + "; " +
         counted(dropped, "event") +
         " of the file had no usable times, so each pass takes the mean of those that are there";
}

}  // namespace spillway
