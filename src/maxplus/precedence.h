// The precedence relation of an order, prepared once for the (max,+) engine.
//
// Its unit is the task: an event on the lanes that execute it as one. A joined event has one task for each
// group of its joined replicas, named by the group's first lane, and every other event one for each lane; so
// replicas are coupled only in joined events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxplus/transfer_function.h"
#include "order/order.h"

namespace spillway {

class Precedence {
 public:
  explicit Precedence(const Order& order);

  std::size_t event_count() const { return joined_.size(); }
  std::uint32_t joined(EventId id) const { return joined_[id.index()]; }

  // Indices of the events that `id` waits for, without those that rank sequences imply; and of those that
  // wait for it.
  std::span<const std::uint32_t> before(EventId id) const { return row(first_before_, before_, id); }
  std::span<const std::uint32_t> after(EventId id) const { return row(first_after_, after_, id); }

  // The tasks that `task` waits for, and those that wait for it, on all the lanes it spans.
  template <class Visit>
  void for_each_before(Port task, Visit&& visit) const {
    for_each_meeting(task, before(task.event), visit);
  }
  template <class Visit>
  void for_each_after(Port task, Visit&& visit) const {
    for_each_meeting(task, after(task.event), visit);
  }

 private:
  using Indices = std::vector<std::uint32_t>;
  static std::span<const std::uint32_t> row(const Indices& first, const Indices& all, EventId id) {
    const std::uint32_t begin = first[id.index()];
    return {all.data() + begin, first[id.index() + 1] - begin};
  }

  // The tasks of `events` that share a lane with `task`.
  template <class Visit>
  void for_each_meeting(Port task, std::span<const std::uint32_t> events, Visit&& visit) const {
    const std::uint32_t end = task.lane + joined(task.event);
    for (const std::uint32_t index : events) {
      const std::uint32_t span = joined_[index];
      for (std::uint32_t lane = task.lane - task.lane % span; lane < end; lane += span)
        visit(Port{EventId(index), lane});
    }
  }

  Indices joined_;
  Indices first_before_, before_;
  Indices first_after_, after_;
};

}  // namespace spillway
