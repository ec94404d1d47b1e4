#include "bench/rivals/bare_longest_path.h"

#include <algorithm>

#include "bench/pipeline.h"

namespace spillway::bench {
namespace {

struct Graph {
  std::vector<double> duration;
  std::vector<std::vector<std::uint32_t>> successors;

  std::uint32_t add(double seconds) {
    duration.push_back(seconds);
    successors.emplace_back();
    return static_cast<std::uint32_t>(duration.size() - 1);
  }
  void edge(std::uint32_t from, std::uint32_t to) { successors[from].push_back(to); }
  void transfer(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t message = add(kLatencySeconds + kMessageBytes / kLinkBytesPerSecond);
    edge(from, message);
    edge(message, to);
  }
};

// Forward and backward of (p, m) are events 2 (p M + m) and the next.
Graph bare_one_f_one_b(std::uint32_t ranks, std::uint32_t microbatches) {
  Graph graph;
  for (std::uint32_t i = 0; i < ranks * microbatches; ++i)
    graph.add(kForwardSeconds), graph.add(kBackwardSeconds);
  const auto forward = [&](std::uint32_t p, std::uint32_t m) { return 2 * (p * microbatches + m); };
  const auto backward = [&](std::uint32_t p, std::uint32_t m) { return forward(p, m) + 1; };
  for (std::uint32_t m = 0; m < microbatches; ++m) {
    for (std::uint32_t p = 0; p + 1 < ranks; ++p) {
      graph.transfer(forward(p, m), forward(p + 1, m));
      graph.transfer(backward(p + 1, m), backward(p, m));
    }
    graph.edge(forward(ranks - 1, m), backward(ranks - 1, m));
  }
  for (std::uint32_t p = 0; p < ranks; ++p) {
    const std::uint32_t warm_up = std::min(microbatches, ranks - p - 1);
    std::vector<std::uint32_t> order;
    for (std::uint32_t m = 0; m < warm_up; ++m) order.push_back(forward(p, m));
    for (std::uint32_t m = warm_up; m < microbatches; ++m) {
      order.push_back(forward(p, m));
      order.push_back(backward(p, m - warm_up));
    }
    for (std::uint32_t m = microbatches - warm_up; m < microbatches; ++m) order.push_back(backward(p, m));
    for (std::size_t i = 0; i + 1 < order.size(); ++i) graph.edge(order[i], order[i + 1]);
  }
  return graph;
}

std::vector<std::uint32_t> breadth_first(const Graph& graph) {
  std::vector<std::uint32_t> waiting(graph.duration.size(), 0), found;
  for (const auto& successors : graph.successors) {
    for (const std::uint32_t successor : successors) ++waiting[successor];
  }
  for (std::uint32_t event = 0; event < waiting.size(); ++event) {
    if (waiting[event] == 0) found.push_back(event);
  }
  for (std::size_t head = 0; head < found.size(); ++head) {
    for (const std::uint32_t successor : graph.successors[found[head]]) {
      if (--waiting[successor] == 0) found.push_back(successor);
    }
  }
  return found;
}

}  // namespace

BareLongestPath::BareLongestPath(std::uint32_t ranks, std::uint32_t microbatches) {
  const Graph graph = bare_one_f_one_b(ranks, microbatches);
  const std::vector<std::uint32_t> order = breadth_first(graph);
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<std::vector<std::uint32_t>> predecessors(order.size());
  for (std::uint32_t event = 0; event < order.size(); ++event) {
    for (const std::uint32_t successor : graph.successors[event]) {
      predecessors[position[successor]].push_back(position[event]);
    }
  }
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    first_.push_back(static_cast<std::uint32_t>(predecessor_.size()));
    predecessor_.insert(predecessor_.end(), predecessors[i].begin(), predecessors[i].end());
    duration_.push_back(graph.duration[order[i]]);
  }
  first_.push_back(static_cast<std::uint32_t>(predecessor_.size()));
  end_.resize(order.size());
  for (const double duration : duration_)
    for (std::uint32_t lane = 1; lane <= kLanes; ++lane) lane_duration_.push_back(duration * lane);
  lane_end_.resize(lane_duration_.size());
}

double BareLongestPath::makespan() {
  double last = 0;
  for (std::size_t event = 0; event < duration_.size(); ++event) {
    double ready = 0;
    for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i)
      ready = std::max(ready, end_[predecessor_[i]]);
    end_[event] = ready + duration_[event];
    last = std::max(last, end_[event]);
  }
  return last;
}

double BareLongestPath::longest_of_lanes() {
  double last[kLanes] = {};
  for (std::size_t event = 0; event < duration_.size(); ++event) {
    double ready[kLanes] = {};
    for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) {
      const double* const before = &lane_end_[std::size_t{predecessor_[i]} * kLanes];
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) ready[lane] = std::max(ready[lane], before[lane]);
    }
    double* const end = &lane_end_[event * kLanes];
    const double* const duration = &lane_duration_[event * kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) end[lane] = ready[lane] + duration[lane];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) last[lane] = std::max(last[lane], end[lane]);
  }
  return *std::max_element(last, last + kLanes);
}

}  // namespace spillway::bench
