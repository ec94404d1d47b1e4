#include "program/answered_sends.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace spillway {
namespace {

using Pair = std::pair<RankId, RankId>;

// Follows the order as its ranks execute it. What a rank knows of another: the number of its computing events
// that have begun.
class Knowledge {
 public:
  explicit Knowledge(const Order& order) : order_(order), place_(order.event_count(), 0) {
    std::vector<std::uint32_t> count(order.rank_count());
    for (std::uint32_t id = 0; id < order.event_count(); ++id)
      if (const Event& event = order.event(EventId(id)); event.computes())
        place_[id] = count[event.rank.index()]++;
  }

  // Visits events in a topological order. Calls `answered` with each send that `id` answers.
  template <class Answered>
  void visit(std::uint32_t id, const Answered& answered) {
    const Event& event = order_.event(EventId(id));
    if (event.transfers()) return sent(id, event);
    if (!event.computes()) return;
    for (const std::uint32_t before : order_.predecessors(EventId(id))) {
      const Event& message = order_.event(EventId(before));
      if (!message.transfers() || message.peer_rank != event.rank) continue;
      const auto waiting = waiting_.find({event.rank, message.rank});
      if (waiting == waiting_.end()) continue;
      const std::uint32_t begun = begun_at(before);
      for (Heap& heap = waiting->second; !heap.empty() && heap.top().first < begun; heap.pop())
        answered(heap.top().second);
    }
  }

 private:
  using Taken = std::pair<std::uint32_t, EventId>;  // place of the pass that takes the message, the message
  using Heap = std::priority_queue<Taken, std::vector<Taken>, std::greater<>>;

  // Returns the number of computing events that the sender of a message began before it.
  std::uint32_t begun_at(std::uint32_t message) const {
    std::uint32_t begun = 0;
    for (const std::uint32_t before : order_.predecessors(EventId(message)))
      if (order_.event(EventId(before)).computes()) begun = std::max(begun, place_[before] + 1);
    return begun;
  }

  void sent(std::uint32_t id, const Event& event) {
    std::uint32_t first = ~0U;
    for (const std::uint32_t next : order_.successors(EventId(id)))
      if (order_.event(EventId(next)).computes()) first = std::min(first, place_[next]);
    if (first != ~0U) waiting_[{event.rank, event.peer_rank}].emplace(first, EventId(id));
  }

  const Order& order_;
  std::vector<std::uint32_t> place_;  // by event: among the computing events of its rank
  std::map<Pair, Heap> waiting_;      // sends without an answer, by sender and receiver
};

}  // namespace

AnsweredSends::AnsweredSends(const Order& order) {
  Knowledge knowledge(order);
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    first_.push_back(static_cast<std::uint32_t>(sends_.size()));
    knowledge.visit(id, [&](EventId send) { sends_.push_back(send); });
  }
  first_.push_back(static_cast<std::uint32_t>(sends_.size()));
}

}  // namespace spillway
