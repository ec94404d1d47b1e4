#include "synthesize/static_bound.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "memory/memory_bound.h"
#include "timing/order_bound.h"
#include "timing/order_chains.h"

namespace spillway {
namespace {

constexpr std::size_t kMostPairs = 20'000;

Seconds bound_of_draw(const Derived& derived, const CostModel& model, std::optional<Bytes> limit) {
  const Durations durations = price(derived, model).durations;
  const Seconds step = OrderBound(derived.order).of(durations).step;
  return limit ? std::max(step, memory_bound(derived, model, durations, *limit).step) : step;
}

// By lane, in seconds: the replicas of the first draw, then those of the second.
using ByLane = std::vector<double>;

double lane_mean(const ByLane& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// A pass of a rank in all draws and replicas: lanes, those of the first draw first.
struct LanePass {
  ByLane head, duration, tail;
};

// The passes of one stage and kind on a rank.
struct PassClass {
  std::vector<LanePass> passes;
  double least_head = std::numeric_limits<double>::infinity();  // the least mean over the lanes
  double least_tail = std::numeric_limits<double>::infinity();
};

// The passes that first and last ones are chosen from, and their work by lane.
struct PassSet {
  std::vector<const PassClass*> classes;
  ByLane work;

  double promise() const {
    double head = std::numeric_limits<double>::infinity(), tail = head;
    for (const PassClass* one : classes) {
      head = std::min(head, one->least_head);
      tail = std::min(tail, one->least_tail);
    }
    return head + lane_mean(work) + tail;
  }
};

class StaticBound {
 public:
  StaticBound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit)
      : derived_(derived), needed_(needed_in_every_order(derived.order)), classes_(derived.pipeline.ranks) {
    for (const auto& model : models) {
      add_draw(*model);
      of_draw_.push_back(bound_of_draw(derived, *model, limit).value());
    }
    for (auto& by_class : classes_)
      for (auto& [key, one] : by_class) set_least(one);
  }

  double best() const {
    double bound = lane_mean(of_draw_);
    for (const auto& by_class : classes_)
      if (const PassSet set = most_promising(by_class); !set.classes.empty())
        bound = std::max(bound, of_set(set));
    return bound;
  }

 private:
  using ClassKey = std::pair<StageId, EventKind>;

  void add_draw(const CostModel& model) {
    const Durations durations = price(derived_, model).durations;
    const PerEvent<Seconds> head = chain_heads(derived_.order, needed_, durations),
                            tail = chain_tails(derived_.order, needed_, durations);
    std::vector<std::map<ClassKey, std::size_t>> next(classes_.size());
    for (std::uint32_t index = 0; index < durations.events(); ++index) {
      const Event& event = derived_.order.event(EventId(index));
      if (!event.computes()) continue;
      const std::size_t rank = event.rank.index();
      const ClassKey key(event.stage, event.kind);
      auto& passes = classes_[rank][key].passes;
      const std::size_t place = next[rank][key]++;
      if (place == passes.size()) passes.emplace_back();
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
        passes[place].head.push_back(head.at(EventId(index), lane).value());
        passes[place].duration.push_back(durations.at(EventId(index), lane).value());
        passes[place].tail.push_back(tail.at(EventId(index), lane).value());
      }
    }
  }

  static void set_least(PassClass& one) {
    for (const LanePass& pass : one.passes) {
      one.least_head = std::min(one.least_head, lane_mean(pass.head));
      one.least_tail = std::min(one.least_tail, lane_mean(pass.tail));
    }
  }

  // The classes whose heads and tails are not below those of two of them.
  static PassSet most_promising(const std::map<ClassKey, PassClass>& classes) {
    PassSet best;
    double most = 0;
    for (const auto& [one, by_head] : classes)
      for (const auto& [other, by_tail] : classes) {
        PassSet set = set_of(classes, by_head.least_head, by_tail.least_tail);
        if (set.classes.empty()) continue;
        if (const double promise = set.promise(); promise > most) {
          most = promise;
          best = std::move(set);
        }
      }
    return best;
  }

  static PassSet set_of(const std::map<ClassKey, PassClass>& classes, double head, double tail) {
    PassSet set;
    for (const auto& [key, one] : classes) {
      if (one.least_head < head || one.least_tail < tail) continue;
      set.classes.push_back(&one);
      set.work.resize(one.passes.front().duration.size());
      for (const LanePass& pass : one.passes)
        for (std::size_t lane = 0; lane < set.work.size(); ++lane) set.work[lane] += pass.duration[lane];
    }
    return set;
  }

  double of_set(const PassSet& set) const {
    std::vector<const LanePass*> passes;
    for (const PassClass* one : set.classes)
      for (const LanePass& pass : one->passes) passes.push_back(&pass);
    if (passes.size() * passes.size() > kMostPairs) return set.promise();
    double least = std::numeric_limits<double>::infinity();
    for (const LanePass* first : passes)
      for (const LanePass* last : passes) least = std::min(least, of_pair(*first, set.work, *last));
    return least;
  }

  // The mean step if the set begins and ends with these passes.
  double of_pair(const LanePass& first, const ByLane& work, const LanePass& last) const {
    const std::size_t replicas = work.size() / of_draw_.size();
    double sum = 0;
    for (std::size_t draw = 0; draw < of_draw_.size(); ++draw) {
      double step = of_draw_[draw];
      for (std::size_t lane = draw * replicas; lane < (draw + 1) * replicas; ++lane)
        step = std::max(step, first.head[lane] + work[lane] + last.tail[lane]);
      sum += step;
    }
    return sum / static_cast<double>(of_draw_.size());
  }

  const Derived& derived_;
  const OrderRows needed_;
  std::vector<std::map<ClassKey, PassClass>> classes_;  // by rank
  std::vector<double> of_draw_;                         // the bound of each draw
};

}  // namespace

Seconds limited_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit) {
  Seconds sum;
  for (const auto& model : models) sum += bound_of_draw(derived, *model, limit);
  return sum / static_cast<double>(models.size());
}

Seconds static_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit) {
  return Seconds(StaticBound(derived, models, limit).best());
}

}  // namespace spillway
