// Memory of waiting outputs and gradients under every system, against a walk over all instants of a step. At
// each instant the walk asks of every event whether what it made or brought is still needed.
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/evaluate.h"
#include "memory/peak_memory.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

bool is_of(const Event& event, StageId stage, MicrobatchId microbatch, RankId rank) {
  return event.stage == stage && event.microbatch == microbatch && event.rank == rank;
}

// Amounts differ by microbatch, stage and direction. A stage without backwards, or with recomputed forwards,
// holds nothing.
class TellingFootprints final : public Footprints {
 public:
  explicit TellingFootprints(const Derived& derived) : derived_(derived) {}

  ModelState model_state(StageId) const override { return {}; }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId) const override {
    const Stage& own = derived_.stage(stage);
    const bool computed_again =
        derived_.input.recomputed && derived_.placement[own.region.index()].layout == Layout::Replicated;
    const bool kept =
        !computed_again && std::ranges::any_of(derived_.order.events(), [&](const Event& event) {
          return event.kind == EventKind::Backward && event.stage == stage;
        });
    return {.activations = Bytes(kept ? 1e6 * (stage.index() + 1) + microbatch.index() : 0),
            .for_weight_gradient = {},
            .recomputed = {}};
  }
  Bytes received(const Event& event, ReplicaId) const override {
    return Bytes((event.comm == Comm::Gather ? 1e3 : 3e3) + event.microbatch.index());
  }
  Bytes received_input(const Event& event, ReplicaId) const override {
    return Bytes(derived_.sends_input(event) ? 7e4 + event.microbatch.index() : 0);
  }

 private:
  const Derived& derived_;
};

// Sums everything alive on a rank at an instant at which nothing begins or ends.
class Walk {
 public:
  Walk(const Derived& derived, const Timeline& timeline, const Footprints& footprints, bool prefetched)
      : derived_(derived), timeline_(timeline), footprints_(footprints), prefetched_(prefetched) {}

  Bytes held(RankId rank, Seconds now) const {
    Bytes sum;
    for (std::uint32_t i = 0; i < derived_.order.event_count(); ++i) {
      const Event& event = derived_.order.event(EventId(i));
      if (event.kind == EventKind::Forward && event.rank == rank) sum += kept(i, event, now);
      const bool seam = event.comm == Comm::Gather || event.comm == Comm::Scatter;
      if (event.kind == EventKind::Collective && seam && event.peer_rank == rank) sum += waits(i, event, now);
    }
    return sum;
  }

 private:
  Seconds start(std::uint32_t event) const { return timeline_.start.at(EventId(event), 0); }
  Seconds end(std::uint32_t event) const { return timeline_.end.at(EventId(event), 0); }

  // Returns the event of a kind that works on a microbatch in a stage of the rank.
  std::uint32_t event_of(EventKind kind, StageId stage, MicrobatchId microbatch, RankId rank) const {
    for (std::uint32_t id = 0; id < derived_.order.event_count(); ++id) {
      const Event& event = derived_.order.event(EventId(id));
      if (event.kind == kind && is_of(event, stage, microbatch, rank)) return id;
    }
    throw ContractBreach("what is sent is taken by a pass");
  }

  // Returns the stage of the same region on `rank`.
  StageId stage_beside(StageId stage, RankId rank) const {
    std::uint32_t id = 0;
    while (derived_.stages[id].region != derived_.stage(stage).region || derived_.stages[id].rank != rank)
      ++id;
    return StageId(id);
  }

  Bytes kept(std::uint32_t id, const Event& forward, Seconds now) const {
    const Held held = footprints_.held(forward.stage, forward.microbatch, ReplicaId(0));
    if (held.activations == Bytes() || now < start(id)) return {};
    for (std::uint32_t i = 0; i < derived_.order.event_count(); ++i) {
      const Event& event = derived_.order.event(EventId(i));
      if (event.kind == EventKind::Backward && is_of(event, forward.stage, forward.microbatch, forward.rank))
        return now < end(i) ? held.activations : Bytes();
    }
    return {};  // its backward runs elsewhere
  }

  // An output waits until its forward (prefetched: from its encode to the end, and from the next step's
  // start), a gradient until its backward, and an input sent along until the backward there.
  Bytes waits(std::uint32_t id, const Event& sent, Seconds now) const {
    const bool output = sent.comm == Comm::Gather;
    const std::uint32_t taker = event_of(output ? EventKind::Forward : EventKind::Backward, sent.peer_stage,
                                         sent.microbatch, sent.peer_rank);
    const Seconds since = start(id), taken = start(taker);
    const bool ahead = output && prefetched_;
    const bool waiting = ahead ? now < taken || now > since : since < now && now < taken;
    Bytes sum = waiting ? footprints_.received(sent, ReplicaId(0)) : Bytes();
    const Bytes along = footprints_.received_input(sent, ReplicaId(0));
    if (along == Bytes()) return sum;
    const std::uint32_t backward = event_of(EventKind::Backward, stage_beside(sent.stage, sent.peer_rank),
                                            sent.microbatch, sent.peer_rank);
    return since < now && now < start(backward) ? sum + along : sum;
  }

  const Derived& derived_;
  const Timeline& timeline_;
  const Footprints& footprints_;
  bool prefetched_;
};

std::vector<Seconds> instants(const Timeline& timeline) {
  std::vector<Seconds> times;
  for (const auto* of : {&timeline.start, &timeline.end})
    for (std::uint32_t event = 0; event < of->events(); ++event) times.push_back(of->at(EventId(event), 0));
  std::ranges::sort(times);
  std::vector<Seconds> between;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] - times[i - 1] > Seconds(1e-9)) between.push_back((times[i] + times[i - 1]) / 2);
  return between;
}

Bytes level_at(const std::vector<MemoryLevel>& levels, Seconds now) {
  Bytes total;
  for (const MemoryLevel& level : levels)
    if (level.since <= now) total = level.total;
  return total;
}

std::string with_more(const SystemTestJob& job, const std::string& system, const std::string& more) {
  return R"({ "name": "s", "system": ")" + system + R"(", "body": ")" + job.body() + "\"" + more + " }";
}

std::string any_transposing(const SystemTestJob& job) {
  std::vector<std::string> entries;
  for (const char* system : {"mpipe", "encode-in-bubbles", "optimus", "mimo", "megascale-omni"})
    entries.push_back(with_more(job, system, ""));
  for (const char* more : {"", R"(, "ownership": "min")"}) {
    entries.push_back(with_more(job, "mpipe-released", more));
    if (job.trained)
      entries.push_back(with_more(job, "mpipe-released", std::string(more) + R"(, "owner_backward": true)"));
  }
  if (!job.trained) entries.push_back(with_more(job, "mimo", R"(, "prefetch": true)"));
  return *rc::gen::elementOf(entries);
}

SPILLWAY_LONG_PROP(WaitingMemory, IsWhatAWalkOverAllInstantsCounts, 100) {
  const SystemTestJob job = *testing::random_two_module_job();
  const std::string entry = any_transposing(job);
  const Evaluation evaluation = evaluate(job.under(entry), kLongestPath);
  const ScheduleResult& schedule = evaluation.schedules.front();
  const Derived& derived = *schedule.derived;
  const TellingFootprints footprints(derived);
  const Timeline& timeline = schedule.first.timeline;
  const auto levels = memory_over_time(derived, footprints, timeline, ReplicaId(0));
  const Walk walk(derived, timeline, footprints, entry.find("prefetch") != std::string::npos);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    for (const Seconds now : instants(timeline))
      RC_ASSERT(level_at(levels[rank], now).value() == walk.held(RankId(rank), now).value());
}

}  // namespace
}  // namespace spillway
