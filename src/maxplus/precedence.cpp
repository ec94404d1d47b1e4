#include "maxplus/precedence.h"

#include <numeric>
#include <utility>

#include "timing/essential_edges.h"

namespace spillway {

Precedence::Precedence(const Order& order) {
  EssentialEdges edges = essential_edges(order);
  first_before_ = std::move(edges.first);
  before_ = std::move(edges.predecessors);
  joined_.reserve(order.event_count());
  for (const Event& event : order.events()) joined_.push_back(event.joined_replicas);

  first_after_.assign(first_before_.size(), 0);
  for (const std::uint32_t from : before_) ++first_after_[from + 1];
  std::partial_sum(first_after_.begin(), first_after_.end(), first_after_.begin());
  after_.resize(before_.size());
  Indices fill(first_after_.begin(), first_after_.end());
  for (std::uint32_t to = 0; to < joined_.size(); ++to) {
    for (const std::uint32_t from : before(EventId(to))) after_[fill[from]++] = to;
  }
}

}  // namespace spillway
