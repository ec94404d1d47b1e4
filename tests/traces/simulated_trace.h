// Traces with a known truth: a derived pipeline runs on the longest path with durations from a seed, and is
// written as a profiler would write it, each rank on its own clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "derive/derive.h"
#include "own_pipeline.h"
#include "support/pipelines.h"
#include "traces/events/trace.h"

namespace spillway::testing {

struct TraceOptions {
  std::string schedule = "1f1b";
  std::uint32_t ranks = 4;
  std::uint32_t microbatches = 8;
  std::uint32_t replicas = 1;
  std::uint32_t steps = 1;
  std::uint32_t group = 0;
  std::uint32_t frozen = 0;  // the first regions of `schedule` whose layers are not trained
  PointToPoint point_to_point = PointToPoint::Blocking;
  Seconds pass = milliseconds(100);    // of a stage; a whole backward twice that
  double spread = 0.3;                 // of a pass's duration, to either side
  Seconds transfer = milliseconds(1);  // a tenth shorter or longer each time
  std::vector<Seconds> offsets = {};   // by which a rank's clock is ahead, in all replicas
  Seconds jitter = {};                 // most by which each event's times are off, to either side
  bool numbered_transfers = true;
  bool with_transfers = true;
  bool with_collectives = false;  // one per rank, of a transfer's length, when the step has ended
  std::uint32_t seed = 1;
};

class SimulatedRun {
 public:
  explicit SimulatedRun(const TraceOptions& options)
      : options_(options), derived_(derive_of(options)), random_(options.seed) {}

  Trace build() {
    trace_.format = "simulated";
    trace_.names = {""};
    const LongestPath path(derived_.order, options_.replicas);
    for (std::uint32_t step = 0; step < options_.steps; ++step) {
      trace_.steps.push_back(std::to_string(100 + step));
      write(step, path.timeline(durations()));
    }
    normalise(trace_);
    return std::move(trace_);
  }

 private:
  static Derived derive_of(const TraceOptions& options) {
    const Schedule parsed = schedule(options.schedule);
    const auto regions = static_cast<std::uint32_t>(parsed.skeletons.size());
    const std::uint32_t layers = stages_of(parsed.skeletons.front(), options.ranks) * regions;
    const std::uint32_t frozen = layers / regions * options.frozen;
    const Model trained({{"llm", Role::Backbone, layers, true}});
    const Model model =
        frozen == 0
            ? trained
            : Model({{"enc", Role::Encoder, frozen, false}, {"llm", Role::Backbone, layers - frozen, true}});
    DeriveOptions how{.pipeline = {options.ranks, options.microbatches, options.replicas}};
    how.microbatch_group = options.group;
    how.point_to_point = options.point_to_point;
    return derive(model, parsed, *default_cut(trained, regions), how);
  }

  double varied(double share) { return 1 + share * (2 * std::uniform_real_distribution<>()(random_) - 1); }

  Seconds duration_of(const Event& event) {
    switch (event.kind) {
      case EventKind::Forward:
      case EventKind::BackwardInput:
      case EventKind::BackwardWeight:
        return options_.pass * varied(options_.spread);
      case EventKind::Backward:
        return options_.pass * (2 * varied(options_.spread));
      case EventKind::ForwardBackward:
        return options_.pass * (3 * varied(options_.spread));
      case EventKind::Collective:
        return options_.transfer * varied(0.1);
      default:
        return {};
    }
  }

  Durations durations() {
    Durations durations(derived_.order.event_count(), options_.replicas);
    for (std::uint32_t id = 0; id < derived_.order.event_count(); ++id)
      for (std::uint32_t lane = 0; lane < options_.replicas; ++lane)
        durations.at(EventId(id), lane) = duration_of(derived_.order.event(EventId(id)));
    return durations;
  }

  void write(std::uint32_t step, const Timeline& timeline) {
    for (std::uint32_t lane = 0; lane < options_.replicas; ++lane) {
      std::vector<Seconds> free(options_.ranks);  // when a rank last ended a pass or a send
      for (std::uint32_t id : by_end(timeline, lane)) {
        const Event& event = derived_.order.event(EventId(id));
        const Seconds start = timeline.start.at(EventId(id), lane), end = timeline.end.at(EventId(id), lane);
        if (event.computes()) write_pass(step, lane, event, start, end);
        if (event.transfers() && options_.with_transfers)
          write_transfer(step, lane, event, start, end, free[event.peer_rank.index()]);
        if (event.computes()) free[event.rank.index()] = end;
      }
      last_end_ = std::max(last_end_, timeline.makespan());
      for (std::uint32_t rank = 0; rank < options_.ranks && options_.with_collectives; ++rank)
        add(TraceKind::Collective, step, lane, RankId(rank), rank, kUnknown, timeline.makespan(),
            timeline.makespan() + options_.transfer);
    }
    begin_ += last_end_ + milliseconds(200);
  }

  std::vector<std::uint32_t> by_end(const Timeline& timeline, std::uint32_t lane) const {
    std::vector<std::uint32_t> ids(derived_.order.event_count());
    for (std::uint32_t id = 0; id < ids.size(); ++id) ids[id] = id;
    std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline.end.at(EventId(a), lane) < timeline.end.at(EventId(b), lane);
    });
    return ids;
  }

  void write_pass(std::uint32_t step, std::uint32_t lane, const Event& event, Seconds start, Seconds end) {
    const auto add_pass = [&](TraceKind kind, StageId stage, MicrobatchId microbatch) {
      add(kind, step, lane, event.rank, stage_number(derived_, stage), microbatch.index(), start, end);
    };
    switch (event.kind) {
      case EventKind::ForwardBackward:
        add_pass(TraceKind::Backward, event.peer_stage, event.peer_microbatch);
        [[fallthrough]];
      case EventKind::Forward:
        return add_pass(TraceKind::Forward, event.stage, event.microbatch);
      case EventKind::Backward:
        return add_pass(TraceKind::Backward, event.stage, event.microbatch);
      case EventKind::BackwardInput:
        return add_pass(TraceKind::BackwardInput, event.stage, event.microbatch);
      default:
        return add_pass(TraceKind::BackwardWeight, event.stage, event.microbatch);
    }
  }

  // The receiver waits from its last pass on, so its side of the transfer begins then.
  void write_transfer(std::uint32_t step, std::uint32_t lane, const Event& event, Seconds start, Seconds end,
                      Seconds receiver_free) {
    const bool forward = event.comm == Comm::Send;
    const std::uint32_t m = options_.numbered_transfers ? event.microbatch.index() : kUnknown;
    add(forward ? TraceKind::SendForward : TraceKind::SendBackward, step, lane, event.rank,
        stage_number(derived_, event.stage), m, start, end);
    add(forward ? TraceKind::ReceiveForward : TraceKind::ReceiveBackward, step, lane, event.peer_rank,
        stage_number(derived_, event.peer_stage), m, std::min(start, receiver_free), end);
  }

  void add(TraceKind kind, std::uint32_t step, std::uint32_t lane, RankId rank, std::uint32_t stage,
           std::uint32_t microbatch, Seconds start, Seconds end) {
    Seconds ahead = options_.offsets.empty() ? Seconds() : options_.offsets[rank.index()];
    if (options_.jitter > Seconds()) ahead += options_.jitter * (varied(1) - 1);
    trace_.events.push_back({begin_ + start + ahead, end - start, step, microbatch, 0,
                             static_cast<std::uint16_t>(lane), static_cast<std::uint16_t>(rank.index()),
                             static_cast<std::uint16_t>(stage), 0, kind});
  }

  TraceOptions options_;
  Derived derived_;
  std::mt19937 random_;
  Trace trace_;
  Seconds begin_;
  Seconds last_end_;
};

inline Trace simulated(const TraceOptions& options) {
  return SimulatedRun(options).build();
}

}  // namespace spillway::testing
