#include "straggler_what_if.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "straggler_model.h"
#include "traces/files/median.h"

namespace spillway {
namespace {

constexpr Seconds kClocksApart = milliseconds(-10);

using Lanes = std::vector<Seconds>;         // one value per lane
using OperationLanes = std::vector<Lanes>;  // by operation

// Sets the lanes of each step to the latest of them.
void join_replicas(Lanes& lanes, std::uint32_t replicas) {
  for (std::size_t first = 0; first < lanes.size(); first += replicas) {
    const auto begin = lanes.begin() + static_cast<std::ptrdiff_t>(first);
    std::fill_n(begin, replicas, *std::max_element(begin, begin + replicas));
  }
}

void raise(Lanes& lanes, const Lanes& to) {
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = std::max(lanes[lane], to[lane]);
}

// Returns the mean for computing operations and the median for transfers and collectives.
Seconds typical(std::vector<Seconds> values, bool computes) {
  if (computes) return std::accumulate(values.begin(), values.end(), Seconds()) / double(values.size());
  return median(std::move(values));
}

class WithoutStragglers {
 public:
  explicit WithoutStragglers(const StragglerSteps& steps)
      : model_(steps.model), times_(steps.times), own_(model_.operations.size()) {
    for (const Meeting& meeting : model_.meetings) measure(meeting);
  }

  // Returns, by step, the latest end of any operation and replica.
  Lanes step_ends() const { return step_ends(own_); }

  Seconds without_variation() const {
    OperationLanes equal(own_.size());
    for (std::size_t work = 0; work < kStepWorks; ++work) {
      std::vector<std::size_t> same;
      for (std::size_t i = 0; i < own_.size(); ++i)
        if (model_.operations[i].work == static_cast<StepWork>(work)) same.push_back(i);
      std::vector<Seconds> all;
      for (const std::size_t i : same) all.insert(all.end(), own_[i].begin(), own_[i].end());
      if (all.empty()) continue;
      const Seconds one = typical(all, computes(static_cast<StepWork>(work)));
      for (const std::size_t i : same) equal[i].assign(times_.lanes, one);
    }
    return step_ends(equal).front();
  }

 private:
  // The study counts all other work as communication, even reductions inside one rank.
  static bool computes(StepWork work) {
    return work == StepWork::Forward || work == StepWork::Backward || work == StepWork::CollectGarbage ||
           work == StepWork::Optimizer;
  }

  Lanes lanes_of(const std::vector<Seconds>& flat, std::size_t operation) const {
    const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(operation * times_.lanes);
    return {begin, begin + times_.lanes};
  }

  Lanes together(const Meeting& meeting, const OperationLanes& arrivals) const {
    Lanes last(times_.lanes);
    for (const Lanes& arrival : arrivals) raise(last, arrival);
    if (meeting.replicas) join_replicas(last, times_.replicas);
    return last;
  }

  // Measures each member's own time, from the start of the meeting to its end.
  void measure(const Meeting& meeting) {
    OperationLanes arrivals;
    for (const std::uint32_t member : meeting.members) arrivals.push_back(lanes_of(times_.start, member));
    const Lanes start = together(meeting, arrivals);
    for (std::size_t i = 0; i < meeting.members.size(); ++i) {
      Lanes own = lanes_of(times_.duration, meeting.members[i]);
      for (std::size_t lane = 0; lane < own.size(); ++lane) {
        own[lane] -= start[lane] - arrivals[i][lane];
        if (own[lane] <= kClocksApart) own[lane] = Seconds();
      }
      own_[meeting.members[i]] = std::move(own);
    }
  }

  Lanes step_ends(const OperationLanes& own) const {
    OperationLanes ends(own.size());
    Lanes last(times_.lanes);
    for (const Meeting& meeting : model_.meetings) {
      OperationLanes arrivals;
      for (const std::uint32_t member : meeting.members) {
        Lanes arrival(times_.lanes);
        for (const std::uint32_t earlier : model_.after[member]) raise(arrival, ends[earlier]);
        arrivals.push_back(std::move(arrival));
      }
      const Lanes start = together(meeting, arrivals);
      for (const std::uint32_t member : meeting.members) {
        ends[member] = start;
        for (std::size_t lane = 0; lane < start.size(); ++lane) ends[member][lane] += own[member][lane];
        raise(last, ends[member]);
      }
    }
    Lanes of_steps;
    join_replicas(last, times_.replicas);
    for (std::size_t lane = 0; lane < last.size(); lane += times_.replicas) of_steps.push_back(last[lane]);
    return of_steps;
  }

  const StepModel& model_;
  const StepTimes& times_;
  OperationLanes own_;
};

// Returns the length of each step, from its first start to its last end.
Lanes measured_lengths(const Trace& trace) {
  Lanes begin(trace.steps.size()), end(trace.steps.size());
  std::vector<bool> seen(trace.steps.size());
  for (const TraceEvent& event : trace.events) {
    if (!seen[event.step] || event.start < begin[event.step]) begin[event.step] = event.start;
    if (!seen[event.step] || event.end() > end[event.step]) end[event.step] = event.end();
    seen[event.step] = true;
  }
  for (std::size_t step = 0; step < end.size(); ++step) end[step] -= begin[step];
  return end;
}

}  // namespace

Seconds StragglerWhatIf::mean_without_delays() const {
  Seconds sum;
  for (const StepWhatIf& step : steps) sum += step.without_delays;
  return sum / static_cast<double>(steps.size());
}

double StragglerWhatIf::slowdown() const {
  return mean_without_delays() / without_variation;
}

std::optional<StragglerWhatIf> straggler_what_if(const Trace& trace) {
  const auto steps = straggler_steps(trace);
  if (!steps) return std::nullopt;
  const WithoutStragglers what_if(*steps);
  const Lanes ends = what_if.step_ends();
  const Lanes measured = measured_lengths(trace);
  StragglerWhatIf result;
  for (std::size_t step = 0; step < ends.size(); ++step)
    result.steps.push_back({trace.steps[step], measured[step], ends[step]});
  result.without_variation = what_if.without_variation();
  return result;
}

}  // namespace spillway
