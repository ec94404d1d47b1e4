#include "twin/whole_steps.h"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
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

std::size_t dropped_in(const Trace& trace) {
  std::size_t dropped = 0;
  for (const Note& note : trace.notes)
    if (note.kind == NoteKind::Dropped) dropped += note.count;
  return dropped;
}

std::string pass_text(const PassPlace& pass) {
  return "the " + std::string(to_string(pass.kind)) + " of microbatch " + std::to_string(pass.microbatch) +
         " in stage " + std::to_string(pass.stage) +
         (pass.replica > 0 ? " of replica " + std::to_string(pass.replica) : "");
}

}  // namespace

void require_whole_steps(const Trace& trace) {
  const std::map<std::uint32_t, Passes> steps = passes_by_step(trace);
  const Passes whole = passes_of_any(steps);
  std::optional<std::pair<std::uint32_t, PassPlace>> first;
  std::size_t missing = 0;
  for (const auto& [step, passes] : steps)
    for (const PassPlace& pass : whole) {
      if (passes.contains(pass)) continue;
      if (!first) first = {step, pass};
      ++missing;
    }
  if (missing <= dropped_in(trace)) return;
  throw InputError(
      {{trace.files.front(), "step " + trace.steps[first->first], pass_text(first->second),
        "none; " + std::to_string(missing) + " of " + std::to_string(steps.size() * whole.size()) +
            " passes are missing, as in a file that was cut; --step chooses whole steps"}});
}

}  // namespace spillway
