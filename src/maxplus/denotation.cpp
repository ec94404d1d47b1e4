#include "maxplus/denotation.h"

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"

namespace spillway {
namespace {

using Rows = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Part {
 public:
  Part(const Precedence& precedence, std::span<const EventId> events, Lanes lanes)
      : precedence_(precedence), events_(events), lanes_(lanes) {
    first_task_.reserve(events.size());
    for (const EventId event : events) {
      first_task_.push_back(tasks_.size());
      const std::uint32_t joined = precedence.joined(event);
      ensure(lanes.first % joined == 0 && lanes.end % joined == 0, "lanes hold joined replicas together");
      for (std::uint32_t lane = lanes.first; lane < lanes.end; lane += joined)
        tasks_.push_back({event, lane});
    }
    collect_inputs();
  }

  TransferFunction function(const Durations& durations) const {
    const Rows paths = paths_to_tasks(durations);
    std::vector<Port> outputs;
    for (const Port task : tasks_) {
      if (is_output(task.event)) outputs.push_back(task);
    }
    TransferFunction found(inputs_, std::move(outputs));
    for (std::size_t o = 0; o < found.outputs().size(); ++o) {
      const auto row = paths.row(*inside(found.outputs()[o]));
      std::copy(row.begin(), row.end(), found.row(o).begin());
    }
    return found;
  }

 private:
  std::optional<std::size_t> position(EventId event) const {
    const auto found = std::lower_bound(events_.begin(), events_.end(), event);
    if (found == events_.end() || *found != event) return std::nullopt;
    return static_cast<std::size_t>(found - events_.begin());
  }

  // The row of a task of this part; nothing for a task outside.
  std::optional<Eigen::Index> inside(Port task) const {
    const auto event = position(task.event);
    if (!event) return std::nullopt;
    return static_cast<Eigen::Index>(first_task_[*event] +
                                     (task.lane - lanes_.first) / precedence_.joined(task.event));
  }

  Eigen::Index column(Port input) const {
    return 1 + (std::lower_bound(inputs_.begin(), inputs_.end(), input) - inputs_.begin());
  }

  void collect_inputs() {
    for (const Port task : tasks_) {
      precedence_.for_each_before(task, [&](Port before) {
        if (!position(before.event)) inputs_.push_back(before);
      });
    }
    std::sort(inputs_.begin(), inputs_.end());
    inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  }

  bool is_output(EventId event) const {
    const auto after = precedence_.after(event);
    return after.empty() || std::any_of(after.begin(), after.end(),
                                        [&](std::uint32_t reader) { return !position(EventId(reader)); });
  }

  // Row t: the longest paths that end with task t, from the start of the step and from each input.
  Rows paths_to_tasks(const Durations& durations) const {
    Rows paths = Rows::Constant(static_cast<Eigen::Index>(tasks_.size()),
                                static_cast<Eigen::Index>(1 + inputs_.size()), kNoPath.value());
    for (Eigen::Index t = 0; t < paths.rows(); ++t) {
      const Port task = tasks_[static_cast<std::size_t>(t)];
      paths(t, 0) = 0;
      precedence_.for_each_before(task, [&](Port before) {
        if (const auto earlier = inside(before))
          paths.row(t) = paths.row(t).max(paths.row(*earlier));
        else
          paths(t, column(before)) = std::max(paths(t, column(before)), 0.0);
      });
      paths.row(t) += durations.at(task.event, task.lane).value();
    }
    return paths;
  }

  const Precedence& precedence_;
  std::span<const EventId> events_;
  Lanes lanes_;
  std::vector<std::size_t> first_task_;  // by position in events_
  std::vector<Port> tasks_;
  std::vector<Port> inputs_;
};

}  // namespace

TransferFunction denotation(const Precedence& precedence, const Durations& durations,
                            std::span<const EventId> events, Lanes lanes) {
  ensure(durations.events() == precedence.event_count(), "durations cover the order");
  ensure(lanes.end <= durations.lanes(), "durations cover the lanes");
  return Part(precedence, events, lanes).function(durations);
}

TransferFunction denotation(const Precedence& precedence, const Durations& durations,
                            std::span<const EventId> events) {
  return denotation(precedence, durations, events, {0, durations.lanes()});
}

}  // namespace spillway
