#include "validate/copied_steps.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <tuple>

#include "validate/copied_stages.h"

namespace spillway {
namespace {

using Microbatches = std::set<std::uint32_t>;

EventKind event_kind(TraceKind kind) {
  static constexpr std::array kKinds = {EventKind::Forward, EventKind::Backward, EventKind::BackwardInput,
                                        EventKind::BackwardWeight};
  return kKinds[static_cast<std::size_t>(kind)];
}

CopiedStep::Key key_of(const Event& event) {
  const bool message = event.kind == EventKind::Collective;
  return {event.kind, event.stage, event.microbatch, message ? event.comm : Comm::Send,
          message ? event.peer_stage : StageId()};
}

bool run_as_one(const Event& a, Interval of_a, const Event& b, Interval of_b) {
  const bool both = (a.kind == EventKind::Forward && b.kind == EventKind::Backward) ||
                    (a.kind == EventKind::Backward && b.kind == EventKind::Forward);
  const Seconds shared = std::min(of_a.end, of_b.end) - std::max(of_a.start, of_b.start);
  return both && shared > 0.5 * std::min(of_a.length(), of_b.length());
}

// Reads the events of one step of one replica.
class StepReader {
 public:
  StepReader(std::uint32_t ranks, std::span<const TraceEvent> events) : events_(events) {
    step_.step = events.front().step;
    step_.replica = ReplicaId(events.front().replica);
    step_.passes.resize(ranks), step_.sends.resize(ranks), step_.collectives.resize(ranks);
  }

  CopiedStep read() && {
    for (const TraceEvent& event : events_) add(event);
    join_messages();
    for (auto& own : step_.collectives) own = union_of(std::move(own));
    for (auto& [microbatch, path] : step_.paths) {
      std::sort(path.forward.begin(), path.forward.end());
      std::sort(path.backward.rbegin(), path.backward.rend());
    }
    return std::move(step_);
  }

 private:
  void add(const TraceEvent& event) {
    const Interval interval{event.start, event.end()};
    if (is_compute(event.kind) && event.microbatch != kUnknown) add_pass(event, interval);
    if (is_transfer(event.kind)) add_side(event, interval);
    if (event.kind != TraceKind::Collective) return;
    step_.collectives[event.rank].push_back(interval);
    const bool broadcast = event.microbatch == kUnknown && first_pass_on(event.rank).start >= interval.end;
    if (broadcast) step_.broadcasts[{RankId(event.rank), StageId(event.stage)}] = interval;
  }

  Interval first_pass_on(std::uint32_t rank) const {
    for (const TraceEvent& event : events_)
      if (event.rank == rank && is_compute(event.kind)) return {event.start, event.end()};
    return {};
  }

  void add_pass(const TraceEvent& event, Interval interval) {
    Event pass{event_kind(event.kind)};
    pass.stage = StageId(event.stage), pass.rank = RankId(event.rank);
    pass.microbatch = MicrobatchId(event.microbatch);
    CopiedStep::Path& path = step_.paths[pass.microbatch];
    if (pass.kind == EventKind::Forward) path.forward.emplace_back(pass.stage, pass.microbatch);
    if (pass.kind == EventKind::Backward || pass.kind == EventKind::BackwardInput)
      path.backward.emplace_back(pass.stage, pass.microbatch);
    auto& passes = step_.passes[event.rank];
    if (!passes.empty() && run_as_one(passes.back(), last_, pass, interval)) {
      passes.back() = together(passes.back(), pass);
      interval = {std::min(last_.start, interval.start), std::max(last_.end, interval.end)};
      pass = passes.back();
    } else {
      passes.push_back(pass);
    }
    step_.intervals[{pass.kind, pass.stage, pass.microbatch, Comm::Send, StageId()}] = last_ = interval;
  }

  static Event together(const Event& a, const Event& b) {
    Event both = a.kind == EventKind::Forward ? a : b;
    const Event& backward = a.kind == EventKind::Forward ? b : a;
    both.kind = EventKind::ForwardBackward;
    both.peer_stage = backward.stage, both.peer_microbatch = backward.microbatch;
    return both;
  }

  void add_side(const TraceEvent& event, Interval interval) {
    const bool sent = event.kind == TraceKind::SendForward || event.kind == TraceKind::SendBackward;
    const bool forward = event.kind == TraceKind::SendForward || event.kind == TraceKind::ReceiveForward;
    sides_[{forward, MicrobatchId(event.microbatch), StageId(event.stage), sent}] = interval;
    if (sent) step_.sends[event.rank].push_back(interval);
  }

  void join_messages() {
    for (const auto& [microbatch, path] : step_.paths) {
      join_along(path.forward, true);
      CopiedStep::Stages down = path.backward;
      join_along(down, false);
    }
  }

  void join_along(CopiedStep::Stages stages, bool forward) {
    std::sort(stages.begin(), stages.end());
    if (!forward) std::reverse(stages.begin(), stages.end());
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const auto sent = sides_.find({forward, stages[i].second, stages[i - 1].first, true});
      const auto received = sides_.find({forward, stages[i].second, stages[i].first, false});
      if (sent == sides_.end() || received == sides_.end()) continue;
      const bool shorter = sent->second.length() < received->second.length();
      const CopiedStep::Key key{EventKind::Collective, stages[i - 1].first, stages[i].second,
                                forward ? Comm::Send : Comm::RecvGrad, stages[i].first};
      step_.intervals[key] = shorter ? sent->second : received->second;
      step_.sent[key] = sent->second.start;
    }
  }

  std::span<const TraceEvent> events_;
  CopiedStep step_ = {};
  Interval last_ = {};  // of the rank's last pass
  std::map<std::tuple<bool, MicrobatchId, StageId, bool>, Interval>
      sides_;  // forward, microbatch, stage, sent
};

std::vector<std::span<const TraceEvent>> slices_of(const Trace& trace) {
  std::vector<std::span<const TraceEvent>> slices;
  for (auto first = trace.events.begin(); first != trace.events.end();) {
    const auto last = std::find_if(first, trace.events.end(), [&](const TraceEvent& event) {
      return event.step != first->step || event.replica != first->replica;
    });
    if (std::any_of(first, last, [](const TraceEvent& event) { return is_compute(event.kind); }))
      slices.push_back({first, last});
    first = last;
  }
  return slices;
}

// Forwards by stage.
std::map<std::uint32_t, Microbatches> forwards_of(std::span<const TraceEvent> events) {
  std::map<std::uint32_t, Microbatches> forwards;
  for (const TraceEvent& event : events)
    if (event.kind == TraceKind::Forward && event.microbatch != kUnknown)
      forwards[event.stage].insert(event.microbatch);
  return forwards;
}

// Returns true if one rank alone computes a transposed region: of the first stages, one for each rank, all
// but one compute nothing, and a pipeline is behind them. A trace that lacks a rank is none of these.
bool has_one_copy(const std::map<std::uint32_t, Microbatches>& forwards, std::span<const TraceEvent> events) {
  std::set<std::uint32_t> ranks;
  for (const TraceEvent& event : events)
    if (event.kind == TraceKind::Forward) ranks.insert(event.rank);
  const auto count = static_cast<std::uint32_t>(ranks.size());
  if (count < 2 || *ranks.rbegin() + 1 != count || forwards.rbegin()->first < count) return false;
  return std::distance(forwards.begin(), forwards.lower_bound(count)) == 1;
}

bool has_copies(std::span<const TraceEvent> events) {
  const auto forwards = forwards_of(events);
  Microbatches all;
  for (const auto& [stage, own] : forwards) all.insert(own.begin(), own.end());
  std::map<std::uint32_t, std::size_t> copies_of;  // by microbatch
  std::size_t copies = 0;
  for (const auto& [stage, own] : forwards) {
    if (own.size() == all.size()) continue;
    ++copies;
    for (const std::uint32_t microbatch : own) ++copies_of[microbatch];
  }
  if (copies == 0) return !forwards.empty() && has_one_copy(forwards, events);
  return copies > 1 && copies_of.size() == all.size() &&
         std::all_of(copies_of.begin(), copies_of.end(),
                     [&](const auto& one) { return one.second == copies_of.begin()->second; });
}

}  // namespace

Seconds CopiedStep::begun(const Event& event) const {
  const auto found = sent.find(key_of(event));
  return found == sent.end() ? interval(event).start : found->second;
}

Interval CopiedStep::interval(const Event& event) const {
  if (event.kind == EventKind::Broadcast) return broadcasts.at({event.rank, event.stage});
  const bool message = event.kind == EventKind::Collective;
  const auto found = intervals.find(key_of(event));
  if (found != intervals.end()) return found->second;
  ensure(message, "a pass of the step");
  for (const Event& pass : passes[event.rank.index()]) {
    const bool own = pass.stage == event.stage && pass.microbatch == event.microbatch;
    const bool peer = pass.peer_stage == event.stage && pass.peer_microbatch == event.microbatch &&
                      pass.kind == EventKind::ForwardBackward;
    const bool forward = event.comm == Comm::Send;
    if (forward
            ? own && pass.runs_forward()
            : peer || (own && (pass.kind == EventKind::Backward || pass.kind == EventKind::BackwardInput)))
      return {interval(pass).end, interval(pass).end};
  }
  throw ContractBreach("a message of the step");
}

bool has_copied_stages(const Trace& trace) {
  const auto slices = slices_of(trace);
  return !slices.empty() && has_copies(slices.front());
}

CopiedSteps copied_steps(const Trace& trace) {
  CopiedSteps all = {};
  for (const TraceEvent& event : trace.events) {
    if (!is_compute(event.kind) || event.microbatch == kUnknown) continue;
    all.ranks = std::max(all.ranks, event.rank + 1u);
    all.stages = std::max(all.stages, event.stage + 1u);
    all.microbatches = std::max(all.microbatches, event.microbatch + 1u);
    all.replicas = std::max(all.replicas, event.replica + 1u);
    all.stage_rank.resize(all.stages);
    all.stage_rank[event.stage] = RankId(event.rank);
  }
  std::size_t others = 0;
  for (const auto& slice : slices_of(trace)) {
    CopiedStep step = StepReader(all.ranks, slice).read();
    if (!all.steps.empty() && step.passes != all.steps.front().passes)
      ++others;
    else
      all.steps.push_back(std::move(step));
  }
  if (others > 0)
    all.notes.push_back({NoteKind::Dropped, others, "steps of a replica in another order than the first"});
  return all;
}

}  // namespace spillway
