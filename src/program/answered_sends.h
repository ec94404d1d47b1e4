// The sends of a rank that a pass of the rank shows to be over: the message was taken before another that the
// pass needs was sent back. Private to src/program.
#pragma once

#include <span>
#include <vector>

#include "order/order.h"

namespace spillway {

class AnsweredSends {
 public:
  // Linear in the events, but for a heap of the sends that are not answered yet.
  explicit AnsweredSends(const Order& order);

  // The transfers that the rank of computing event `id` sent, and that it knows to be over when `id` has what
  // it waits for. Each is answered once.
  std::span<const EventId> by(EventId id) const {
    return std::span(sends_).subspan(first_[id.index()], first_[id.index() + 1] - first_[id.index()]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by event, one more at the end
  std::vector<EventId> sends_;
};

}  // namespace spillway
