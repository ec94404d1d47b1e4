// The slow, obvious clock of rank orders: it runs any rank whose next slot is ready until no rank can go on.
// It uses none of the program's engines. The tests compare skeletons with closed forms and tables on it.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/skeleton.h"

namespace spillway::testing {

// Durations of each stage. `fused` is F&B; 0 means no overlap: a forward, then a backward.
struct SlotDurations {
  double forward = 1;
  double input_gradient = 1;
  double weight_gradient = 1;
  double fused = 0;
  double transfer = 0;  // between different ranks; it delays data but blocks neither end

  double of(Action action) const {
    const double backward = input_gradient + weight_gradient;
    switch (action) {
      case Action::Forward:
        return forward;
      case Action::Backward:
        return backward;
      case Action::BackwardInput:
        return input_gradient;
      case Action::BackwardWeight:
        return weight_gradient;
      case Action::ForwardBackward:
        return fused > 0 ? fused : forward + backward;
    }
    throw ContractBreach("unknown action");
  }
};

enum class Half { Forward, InputGradient, WeightGradient };

// One part of a slot's work for one microbatch in one stage.
struct Work {
  Half half;
  std::uint32_t stage;
  std::uint32_t microbatch;

  friend auto operator<=>(const Work&, const Work&) = default;
};

struct TimedSlot {
  Slot slot;
  double start;
  double end;
};

class SlotTimeline {
 public:
  SlotTimeline(Skeleton skeleton, RunShape shape, std::vector<RankOrder> orders, SlotDurations durations = {})
      : fold_(fold_of(skeleton)),
        shape_(std::move(shape)),
        stages_(shape_.ranks * (fold_ == Fold::Bidirectional ? 1 : shape_.chunks)),
        orders_(std::move(orders)),
        durations_(durations),
        ranks_(orders_.size()) {
    run();
  }

  // Says where each unfinished rank is stuck, "rank 0 waits before F 0.3 (slot 5 of 24)", or is empty.
  const std::string& deadlock() const { return deadlock_; }

  const std::vector<TimedSlot>& rank(std::uint32_t r) const { return ranks_[r]; }

  double makespan() const {
    double last = 0;
    for (const auto& slots : ranks_) last = std::max(last, slots.empty() ? 0 : slots.back().end);
    return last;
  }

  double busy(std::uint32_t r) const {
    double sum = 0;
    for (const TimedSlot& timed : ranks_[r]) sum += timed.end - timed.start;
    return sum;
  }

  // Returns the time from the rank's first start to its last end.
  double span(std::uint32_t r) const {
    return ranks_[r].empty() ? 0 : ranks_[r].back().end - ranks_[r].front().start;
  }

  double longest_span() const {
    double longest = 0;
    for (std::uint32_t r = 0; r < shape_.ranks; ++r) longest = std::max(longest, span(r));
    return longest;
  }

  // Returns the idle time inside the longest span, as the Zero Bubble code defines it. All ranks must be
  // equally busy.
  double bubble() const { return longest_span() - busy(0); }
  double bubble_rate() const { return bubble() / longest_span(); }

  // Returns the rank's peak activations, in units of its activations of all chunks for one microbatch. A
  // stage's forward adds its activation. The input gradient frees all of it but `weight_share`, the weight
  // gradient the rest. A fused slot adds its forward's before it frees its backward's.
  double peak_activations(std::uint32_t r, double weight_share = 0.5) const {
    double live = 0, peak = 0;
    for (const Slot& slot : orders_[r]) {
      for (const Work& work : works(r, slot)) {
        if (work.half == Half::Forward) live += 1;
        if (work.half == Half::InputGradient) live -= 1 - weight_share;
        if (work.half == Half::WeightGradient) live -= weight_share;
        peak = std::max(peak, live);
      }
    }
    return peak / shape_.chunks;
  }

  double peak_activations() const {
    double peak = 0;
    for (std::uint32_t r = 0; r < shape_.ranks; ++r) peak = std::max(peak, peak_activations(r));
    return peak;
  }

  // Returns "" if every stage does each half of every microbatch exactly once, else the first error. In a
  // bidirectional run a stage's two copies split the microbatches, so both count.
  std::string incompleteness() const {
    std::map<Work, int> times;
    for (std::uint32_t r = 0; r < shape_.ranks; ++r) {
      for (const Slot& slot : orders_[r]) {
        for (const Work& work : works(r, slot)) ++times[work];
      }
    }
    for (std::uint32_t stage = 0; stage < stages_; ++stage) {
      for (std::uint32_t m = 0; m < shape_.microbatches; ++m) {
        for (Half half : {Half::Forward, Half::InputGradient, Half::WeightGradient}) {
          const int count = times[{half, stage, m}];
          if (count != 1) return text({half, stage, m}) + " runs " + std::to_string(count) + " times";
        }
      }
    }
    const std::size_t expected = std::size_t{3} * stages_ * shape_.microbatches;
    return times.size() == expected ? "" : "work outside of the run's stages and microbatches";
  }

  // Returns the work of a slot, in order.
  std::vector<Work> works(std::uint32_t r, const Slot& slot) const {
    const std::uint32_t stage = stage_of(r, slot.chunk, slot.microbatch), m = slot.microbatch.index();
    switch (slot.action) {
      case Action::Forward:
        return {{Half::Forward, stage, m}};
      case Action::BackwardInput:
        return {{Half::InputGradient, stage, m}};
      case Action::BackwardWeight:
        return {{Half::WeightGradient, stage, m}};
      case Action::Backward:
        return {{Half::InputGradient, stage, m}, {Half::WeightGradient, stage, m}};
      case Action::ForwardBackward: {
        const std::uint32_t back = stage_of(r, slot.backward_chunk, slot.backward_microbatch),
                            back_m = slot.backward_microbatch.index();
        return {{Half::Forward, stage, m},
                {Half::InputGradient, back, back_m},
                {Half::WeightGradient, back, back_m}};
      }
    }
    throw ContractBreach("unknown action");
  }

 private:
  struct Done {
    double end;
    std::uint32_t rank;
  };

  std::uint32_t stage_of(std::uint32_t r, std::uint32_t chunk, MicrobatchId microbatch) const {
    if (fold_ == Fold::Bidirectional) {
      ensure(microbatch.index() % 2 == chunk, "a microbatch runs through its own direction's chunk");
    }
    return stage_of_chunk(fold_, shape_.ranks, chunk, r);
  }

  // Returns the work that other slots must finish first. In a whole backward the weight gradient follows the
  // input gradient within the slot.
  std::vector<Work> needs(const Work& work, Action action) const {
    if (work.half == Half::WeightGradient) {
      if (action != Action::BackwardWeight) return {};
      return {{Half::InputGradient, work.stage, work.microbatch}};
    }
    if (work.half == Half::Forward) {
      if (work.stage == 0) return {};
      return {{Half::Forward, work.stage - 1, work.microbatch}};
    }
    std::vector<Work> needed{{Half::Forward, work.stage, work.microbatch}};
    if (work.stage + 1 < stages_) needed.push_back({Half::InputGradient, work.stage + 1, work.microbatch});
    return needed;
  }

  // Returns when the inputs of rank r's slot arrive, or nullopt if one is not computed yet.
  std::optional<double> ready(std::uint32_t r, const Slot& slot) const {
    double at = 0;
    for (const Work& work : works(r, slot)) {
      for (const Work& need : needs(work, slot.action)) {
        const auto found = done_.find(need);
        if (found == done_.end()) return std::nullopt;
        at = std::max(at, found->second.end + (found->second.rank == r ? 0 : durations_.transfer));
      }
    }
    return at;
  }

  bool advance(std::uint32_t r) {
    if (ranks_[r].size() == orders_[r].size()) return false;
    const Slot& slot = orders_[r][ranks_[r].size()];
    const std::optional<double> inputs = ready(r, slot);
    if (!inputs) return false;
    const double start = std::max(*inputs, ranks_[r].empty() ? 0 : ranks_[r].back().end);
    const double end = start + durations_.of(slot.action);
    ranks_[r].push_back({slot, start, end});
    for (const Work& work : works(r, slot)) done_[work] = {end, r};
    return true;
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t r = 0; r < shape_.ranks; ++r) {
        while (advance(r)) moved = true;
      }
    }
    for (std::uint32_t r = 0; r < shape_.ranks; ++r) {
      const std::size_t at = ranks_[r].size();
      if (at == orders_[r].size()) continue;
      deadlock_ += "rank " + std::to_string(r) + " waits before " + text(works(r, orders_[r][at]).front()) +
                   " (slot " + std::to_string(at) + " of " + std::to_string(orders_[r].size()) + ")\n";
    }
  }

  // "F 2.5": the forward of microbatch 5 in stage 2, both counted from 0.
  static std::string text(const Work& work) {
    static constexpr std::array<const char*, 3> names{"F ", "I ", "W "};
    return names[static_cast<std::size_t>(work.half)] + std::to_string(work.stage) + '.' +
           std::to_string(work.microbatch);
  }

  Fold fold_;
  RunShape shape_;
  std::uint32_t stages_;
  std::vector<RankOrder> orders_;
  SlotDurations durations_;
  std::map<Work, Done> done_;
  std::vector<std::vector<TimedSlot>> ranks_;
  std::string deadlock_;
};

}  // namespace spillway::testing
