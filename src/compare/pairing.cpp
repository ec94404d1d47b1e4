#include "compare/pairing.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace spillway {
namespace {

const SideRun* run_named(const Side& side, const std::string& name) {
  const auto run =
      std::find_if(side.runs.begin(), side.runs.end(), [&](const SideRun& one) { return one.name == name; });
  return run == side.runs.end() ? nullptr : &*run;
}

std::string names_of_runs(const Side& side) {
  std::vector<std::string> names;
  for (const SideRun& run : side.runs) names.push_back(run.name);
  return joined(names);
}

[[noreturn]] void refuse_pair(const Side& a, const Side& b) {
  throw InputError({{b.file, "/schedules", "a schedule that " + a.file + " also has: " + names_of_runs(a),
                     names_of_runs(b)}});
}

std::string draws_of(const Side& side) {
  return std::to_string(side.draws) + (side.draws == 1 ? " draw" : " draws") + " from seed " +
         std::to_string(side.seed);
}

// Adds the reason for each schedule of this side that is not ranked. A reason that both sides share is added
// once.
void add_unranked(const Side& side, std::vector<std::string>& notes) {
  for (const SideRun& run : side.runs) {
    const std::string note = run.name + " is not ranked: " + run.unranked;
    if (!run.unranked.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

}  // namespace

std::vector<SidePair> pairs_of(const Side& a, const Side& b) {
  std::vector<SidePair> pairs;
  if (is_trace(a) || is_trace(b) || (a.runs.size() == 1 && b.runs.size() == 1)) {
    for (const SideRun& first : a.runs)
      for (const SideRun& second : b.runs) pairs.push_back({&first, &second});
    return pairs;
  }
  for (const SideRun& run : a.runs)
    if (const SideRun* other = run_named(b, run.name)) pairs.push_back({&run, other});
  if (pairs.empty()) refuse_pair(a, b);
  return pairs;
}

std::vector<std::string> unpaired(const Side& side, const std::vector<SidePair>& pairs,
                                  const SideRun* SidePair::*member) {
  std::vector<std::string> names;
  for (const SideRun& run : side.runs)
    if (std::none_of(pairs.begin(), pairs.end(), [&](const SidePair& pair) { return pair.*member == &run; }))
      names.push_back(run.name);
  return names;
}

bool same_draws(const Side& a, const Side& b) {
  return a.draws == b.draws && a.seed == b.seed;
}

std::vector<std::string> notes_on(const Side& a, const Side& b) {
  std::vector<std::string> notes;
  add_unranked(a, notes);
  add_unranked(b, notes);
  for (const std::string& note : a.notes) notes.push_back("A, " + note);
  for (const std::string& note : b.notes) notes.push_back("B, " + note);
  const bool trace = is_trace(a) || is_trace(b),
             events = a.kind != SideKind::Report && b.kind != SideKind::Report;
  if (!trace && !same_draws(a, b))
    notes.push_back("A has " + draws_of(a) + ", B " + draws_of(b) +
                    ": the draws are not paired, so no difference has an interval");
  if (!trace && !events && same_draws(a, b) && a.draws > 1)
    notes.push_back("a report holds means over draws, not single draws, so no difference has an interval");
  if (trace)
    notes.push_back(
        "a trace's step lasts from the start of its first pass to the end of its last, averaged over its "
        "steps and replicas; no difference has an interval, because a trace has no draws");
  if (trace && !events)
    notes.push_back(
        "a report's communication is the time that keeps its ranks from computing, a trace's is all "
        "communication between passes; a report also covers the time after its last pass, a trace does not");
  if (!trace && events && a.draws > 1)
    notes.push_back(
        "events and changes on ranks are those of the first draw; figures and causes cover all draws");
  return notes;
}

}  // namespace spillway
