// Finds the known schedule that a measured pipeline follows, or the nearest one. The distance of two orders
// is Spearman's footrule: the sum over passes of the slots by which each is displaced. One more forward in
// the warm-up displaces every later pass by one, so such an order is near. Another schedule is far.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "traces/pipeline/pipeline.h"
#include "traces/pipeline/stage_work.h"

namespace spillway {
namespace {

struct KnownSchedule {
  std::string text;  // "1f1b,1f1b"
  Skeleton skeleton;
  RunShape shape;  // the default group, except for interleaved 1F1B
};

bool places_alike(Fold fold, const MeasuredPipeline& pipeline) {
  const std::uint32_t chunks = pipeline.stages / pipeline.ranks;
  for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint32_t stage = stage_of_chunk(fold, pipeline.ranks, chunk, rank);
      if (pipeline.placement.stage_rank[stage] != RankId(rank)) return false;
    }
  }
  return true;
}

std::string repeated(const std::string& word, std::uint32_t times) {
  std::string text = word;
  for (std::uint32_t i = 1; i < times; ++i) text += ',' + word;
  return text;
}

// Means over all passes of a stage, and over all transfers. A trace shows nothing about activation memory.
Expectations mean_times(const MeasuredPipeline& pipeline) {
  Expectations expected;
  for (const StageMeans& means : stage_means(pipeline))
    expected.stages.push_back({means.forward, means.input_gradient, means.weight_gradient});
  const std::vector<Seconds> transfers = transfer_times(pipeline);
  const Seconds sum = std::accumulate(transfers.begin(), transfers.end(), Seconds());
  if (!transfers.empty()) expected.transfer = sum / static_cast<double>(transfers.size());
  return expected;
}

class Candidates {
 public:
  explicit Candidates(const MeasuredPipeline& pipeline)
      : pipeline_(pipeline), chunks_(pipeline.stages / pipeline.ranks) {}

  // Adds every skeleton with this placement, with every group that it accepts. Skeletons by waves get as many
  // waves as the chunks allow.
  void add(Fold fold) {
    for (const SkeletonKind kind : kEverySkeleton) {
      const SkeletonTraits& traits = traits_of(kind);
      if (traits.layout != Layout::Sharded || traits.fold != fold) continue;
      const Skeleton skeleton(kind, traits.chunks == kByWaves ? chunks_ / 2 : 0);
      const std::uint32_t usual = default_group(pipeline_.ranks, pipeline_.microbatches);
      const bool grouped = traits.weaving == Weaving::InGroups && chunks_ > 1;
      for (std::uint32_t group = usual; group <= (grouped ? pipeline_.microbatches : usual); ++group)
        add(skeleton, group);
    }
  }

  std::vector<KnownSchedule> all() && { return std::move(all_); }

 private:
  void add(const Skeleton& skeleton, std::uint32_t group) {
    if (!weaves(skeleton) && chunks_of(skeleton) != chunks_) return;
    RunShape shape{pipeline_.ranks, pipeline_.microbatches, chunks_, group};
    if (!check_shape(skeleton, shape).empty()) return;
    if (plans(skeleton) && !pipeline_.steps.front().passes.front().front().weight) return;
    const std::uint32_t regions = weaves(skeleton) ? chunks_ : 1;
    all_.push_back({repeated(to_string(skeleton), regions), skeleton, shape});
    if (!plans(skeleton)) return;
    shape.expected = mean_times(pipeline_);
    all_.push_back({to_string(skeleton), skeleton, std::move(shape)});
  }

  const MeasuredPipeline& pipeline_;
  std::uint32_t chunks_;
  std::vector<KnownSchedule> all_;
};

// Returns the schedules with the pipeline's placement and size, in the order of docs/schedules.md.
std::vector<KnownSchedule> known_schedules(const MeasuredPipeline& pipeline) {
  if (pipeline.stages % pipeline.ranks != 0) return {};
  Candidates candidates(pipeline);
  for (const Fold fold : {Fold::Straight, Fold::Reflected})
    if (places_alike(fold, pipeline)) candidates.add(fold);
  return std::move(candidates).all();
}

constexpr std::size_t kMostListed = 8;
constexpr std::size_t kActions = 4;  // a slot that runs two passes together counts as both

using Ranks = std::vector<RankOrder>;

// The position of each pass in a rank's order.
class Positions {
 public:
  Positions(const RankOrder& order, std::uint32_t chunks, std::uint32_t microbatches)
      : microbatches_(microbatches), at_(kActions * chunks * microbatches) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Slot& slot = order[i];
      const bool both = slot.action == Action::ForwardBackward;
      set(both ? Action::Forward : slot.action, slot.chunk, slot.microbatch, i);
      if (both) set(Action::Backward, slot.backward_chunk, slot.backward_microbatch, i);
    }
  }

  // Sums over the passes of either order. A pass that one order lacks counts as the whole length.
  std::size_t displacement(const Positions& other, std::size_t length) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const auto a = at_[i], b = other.at_[i];
      if (a && b)
        sum += std::max(*a, *b) - std::min(*a, *b);
      else if (a || b)
        sum += length;
    }
    return sum;
  }

 private:
  void set(Action action, std::uint32_t chunk, MicrobatchId microbatch, std::size_t position) {
    const std::size_t pass = std::size_t{chunk} * microbatches_ + microbatch.index();
    at_[pass * kActions + static_cast<std::size_t>(action)] = position;
  }

  std::uint32_t microbatches_;
  std::vector<std::optional<std::size_t>> at_;
};

std::size_t displacement(const Ranks& a, const Ranks& b, const RunShape& shape) {
  std::size_t sum = 0;
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    const Positions in_a(a[rank], shape.chunks, shape.microbatches);
    const Positions in_b(b[rank], shape.chunks, shape.microbatches);
    sum += in_a.displacement(in_b, std::max(a[rank].size(), b[rank].size()));
  }
  return sum;
}

// The action of a slot, such as "2B1", or "nothing" behind an order's end. `stages`: those of the rank,
// ascending.
std::string text_of(const RankOrder& order, std::size_t at, const std::vector<std::uint32_t>& stages) {
  if (at >= order.size()) return "nothing";
  return to_string(listed(order[at], stages));
}

// "1f1b,1f1b in groups of 6"
std::string title(const KnownSchedule& known) {
  const bool grouped = known.shape.chunks > 1 &&
                       known.shape.group != default_group(known.shape.ranks, known.shape.microbatches);
  return grouped ? known.text + " in groups of " + std::to_string(known.shape.group) : known.text;
}

std::vector<Note> differences(const MeasuredPipeline& pipeline, const KnownSchedule& known,
                              const Ranks& expected) {
  std::vector<Note> notes;
  std::size_t count = 0, slots = 0;
  const auto stages = rank_stages(pipeline.placement);
  for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
    const RankOrder& measured = pipeline.placement.orders[rank];
    const std::size_t length = std::max(measured.size(), expected[rank].size());
    slots += length;
    for (std::size_t at = 0; at < length; ++at) {
      const bool inside = at < measured.size() && at < expected[rank].size();
      if (inside && measured[at] == expected[rank][at]) continue;
      if (++count > kMostListed) continue;
      notes.push_back({NoteKind::Differs, 0,
                       "rank " + std::to_string(rank) + " slot " + std::to_string(at) + ": " + title(known) +
                           " expects " + text_of(expected[rank], at, stages[rank]) + ", the trace has " +
                           text_of(measured, at, stages[rank])});
    }
  }
  notes.push_back(
      {NoteKind::Differs, count, "of " + std::to_string(slots) + " slots not as in " + title(known)});
  return notes;
}

// Reports the stages on each rank, which no known schedule places so: "rank 0 has 0 3, rank 1 has 1 2".
ScheduleMatch placed_like_none(const MeasuredPipeline& pipeline) {
  std::string text = "placement of no known schedule at this size: ";
  const auto stages = rank_stages(pipeline.placement);
  for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
    text += (rank == 0 ? "rank " : ", rank ") + std::to_string(rank) + " has";
    for (std::uint32_t stage : stages[rank]) text += ' ' + std::to_string(stage);
  }
  return {"listed", 0, "", {{NoteKind::Differs, 0, text}}};
}

}  // namespace

ScheduleMatch match_schedule(const MeasuredPipeline& pipeline) {
  const std::vector<KnownSchedule> all = known_schedules(pipeline);
  if (all.empty()) return placed_like_none(pipeline);
  const KnownSchedule* nearest = nullptr;
  Ranks nearest_orders;
  std::size_t least = 0;
  for (const KnownSchedule& known : all) {
    Ranks orders = rank_orders(known.skeleton, known.shape);
    if (orders == pipeline.placement.orders) {
      const bool usual = known.shape.group == default_group(pipeline.ranks, pipeline.microbatches);
      return {known.text, usual ? 0 : known.shape.group, "", {}};
    }
    const std::size_t apart = displacement(pipeline.placement.orders, orders, known.shape);
    if (nearest != nullptr && apart >= least) continue;
    nearest = &known;
    nearest_orders = std::move(orders);
    least = apart;
  }
  return {"listed", 0, nearest->text, differences(pipeline, *nearest, nearest_orders)};
}

}  // namespace spillway
